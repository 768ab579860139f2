/**
 * `gateway admin keys …`: management of the installation's keys. The one thing to know: it changes files in DATA_DIR/keys and rows in the
 * database, never what is sealed; a running gateway loads the files within a second and re-encrypts stored secrets. Files are not part of a
 * transaction: they change within that of the act's row, just before its commit; a retired key leaves its file after the commit.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { CURSOR_FILE, ENCRYPTION_FILE, keyFiles, PREVIOUS_FOLDER, SIGNING_FILE } from "../auth/keys/key-files.ts"
import {
  type EncryptionKeys,
  type KeySettings,
  type Keys,
  parseEncryptionKeys,
  parseRootKeys,
  readKeys,
  withNewKey,
  withNewRoot,
  withoutKey,
} from "../auth/keys/keys.ts"
import { newSigningKey, parseSigningKey, retiredKeyText } from "../auth/keys/signing-keys.ts"
import { ACCESS_TOKEN_SECONDS } from "../auth/session/tokens.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { Action, Actor } from "../domain/user/act.ts"
import { dateTimeOrNull } from "../foundation/time.ts"
import { Acts, type Learnt } from "../store/audit/acts.ts"
import { Transactions } from "../store/postgres/transactions.ts"
import { type SealedCount, SealedRows, type SealedTable } from "../store/users/sealed-rows.ts"

export type KeysCommand =
  | { readonly _tag: "KeysStatus" }
  | { readonly _tag: "RotateEncryption" }
  | { readonly _tag: "RetireKey"; readonly kid: string }
  | { readonly _tag: "AbandonKey"; readonly kid: string }
  | { readonly _tag: "RotateSigning"; readonly atOnce: boolean }
  | { readonly _tag: "RotateCursor"; readonly atOnce: boolean }

export const KEYS_USAGE = `  keys status                      list the keys, and how many stored secrets need each
  keys rotate-encryption           create a new encryption key; stored secrets are re-encrypted in the background
  keys retire KID                  remove a key that no stored secret needs
  keys abandon KID                 discard all secrets sealed with a lost key: credentials are revoked, sessions end, pending mails fail
  keys rotate-signing [--at-once]  sign access tokens with a new key; --at-once: reject tokens of older keys immediately
  keys rotate-cursor [--at-once]   sign cursors and fingerprints with a new key; --at-once: anything signed with older keys is rejected
`

/** Undefined: the words are no command of this kind. */
export const parseKeysCommand = (words: ReadonlyArray<string>): KeysCommand | undefined => {
  const [group, name, argument, ...more] = words
  if (group !== "keys" || more.length > 0) return undefined
  if (name === "rotate-signing" && (argument === undefined || argument === "--at-once"))
    return { _tag: "RotateSigning", atOnce: argument !== undefined }
  if (name === "rotate-cursor" && (argument === undefined || argument === "--at-once"))
    return { _tag: "RotateCursor", atOnce: argument !== undefined }
  if (name === "retire" && argument !== undefined) return { _tag: "RetireKey", kid: argument }
  if (name === "abandon" && argument !== undefined) return { _tag: "AbandonKey", kid: argument }
  if (name === "status" && argument === undefined) return { _tag: "KeysStatus" }
  if (name === "rotate-encryption" && argument === undefined) return { _tag: "RotateEncryption" }
  return undefined
}

type KeysChange = Exclude<KeysCommand, { readonly _tag: "KeysStatus" }>

/** For the audit; a look is none. */
const ACTIONS = {
  RotateEncryption: "keys.rotate_encryption",
  RetireKey: "keys.retire",
  AbandonKey: "keys.abandon",
  RotateSigning: "keys.rotate_signing",
  RotateCursor: "keys.rotate_cursor",
} as const satisfies { readonly [T in KeysChange["_tag"]]: Action }

const keyObject = (kid: string) => ({ type: "KEY", id: kid, tenantId: null }) as const

const no = (reason: string) => new InvalidParameter({ parameter: "keys", reason })

export interface KeysReport {
  readonly encryption: {
    readonly from: "ENCRYPTION_KEYS" | "DATA_DIR/keys"
    /** The key that seals. */
    readonly active: string
    readonly keys: ReadonlyArray<{
      readonly kid: string
      /** False: this command line does not have it. A running gateway may, if it was given others. */
      readonly present: boolean
      readonly note?: "unknown to this command line"
      /** When a gateway took it up; null: none has yet. */
      readonly inForceSince: string | null
      readonly rows: Readonly<Record<SealedTable, number>>
    }>
  }
  readonly signing: {
    readonly from: "SIGNING_KEY" | "DATA_DIR/keys"
    readonly active: string
    readonly previous: ReadonlyArray<{ readonly kid: string; readonly retiredAt: string | null }>
  }
  readonly cursor: {
    readonly from: "CURSOR_KEY" | "DATA_DIR/keys"
    readonly active: string
    readonly previous: ReadonlyArray<string>
  }
}

const rowsOf = (counts: ReadonlyArray<SealedCount>, kid: string): Readonly<Record<SealedTable, number>> => {
  const rows = { credential: 0, session: 0, mail_outbox: 0, second_factor: 0 }
  for (const count of counts) if (count.kid === kid) rows[count.table] = count.rows
  return rows
}

/** What there is, without the keys themselves. */
const report = (settings: KeySettings) =>
  Effect.gen(function* () {
    const sealed = yield* SealedRows
    const { encryption, signing, roots }: Keys = readKeys(settings, { make: false })
    const registered = new Map((yield* sealed.registered).map(({ kid, registeredAt }) => [kid, registeredAt]))
    const counts = yield* sealed.counts
    const kids = new Set([...encryption.byKid.keys(), ...registered.keys()])
    const answer: KeysReport = {
      encryption: {
        from: settings.encryptionKeys === null ? "DATA_DIR/keys" : "ENCRYPTION_KEYS",
        active: encryption.activeKid,
        keys: [...kids].map((kid) => ({
          kid,
          ...(encryption.byKid.has(kid)
            ? { present: true }
            : { present: false, note: "unknown to this command line" as const }),
          inForceSince: dateTimeOrNull(registered.get(kid) ?? null),
          rows: rowsOf(counts, kid),
        })),
      },
      signing: {
        from: settings.signingKey === null ? "DATA_DIR/keys" : "SIGNING_KEY",
        active: signing.active.kid,
        previous: signing.previous.map(({ kid, retiredAt }) => ({ kid, retiredAt: dateTimeOrNull(retiredAt) })),
      },
      cursor: {
        from: settings.cursorKey === null ? "DATA_DIR/keys" : "CURSOR_KEY",
        active: roots[0].kid,
        previous: roots.slice(1).map(({ kid }) => kid),
      },
    }
    return answer
  })

const keysOfFile = (settings: KeySettings): EncryptionKeys | null => {
  const text = keyFiles(settings.dataDir).read(ENCRYPTION_FILE)
  return text === null ? null : parseEncryptionKeys(text)
}

const rotateEncryption = (settings: KeySettings) =>
  Effect.gen(function* () {
    if (settings.encryptionKeys !== null)
      return yield* no(
        "the keys come from ENCRYPTION_KEYS: put a new kid:key first in that list (32 random bytes, base64url) and restart the gateway; it re-encrypts stored secrets with it, and `keys status` shows when the old key may be removed",
      )
    const keys = keysOfFile(settings)
    if (keys === null) return yield* no("there is no encryption.keys in DATA_DIR/keys: start the gateway once")
    const missing = (yield* (yield* SealedRows).kidsInUse).filter((kid) => !keys.byKid.has(kid))
    if (missing.length > 0)
      return yield* no(
        `stored secrets need ${missing.join(", ")}, which encryption.keys does not have: does the gateway run with ENCRYPTION_KEYS, or another DATA_DIR?`,
      )
    const text = withNewKey(keys)
    keyFiles(settings.dataDir).replace(ENCRYPTION_FILE, text)
    return parseEncryptionKeys(text).activeKid
  })

/** In a transaction, which no gateway starts beside: what this command line does not know may be what a running one holds. */
const withoutGateway = <A, E, R>(kid: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { unowned } = yield* SealedRows
    const guarded = Effect.gen(function* () {
      if (yield* unowned) return yield* work
      return yield* no(
        `a gateway is running on this database and may have ${kid}: stop it first, and give this command the gateway's DATA_DIR and ENCRYPTION_KEYS`,
      )
    })
    return yield* (yield* Transactions).all(guarded)
  })

const retire = (settings: KeySettings, kid: string) =>
  Effect.gen(function* () {
    const sealed = yield* SealedRows
    const { encryption } = readKeys(settings, { make: false })
    if (kid === encryption.activeKid) return yield* no(`${kid} is the active key: rotate first`)
    const registered = yield* sealed.registered
    if (!encryption.byKid.has(kid) && !registered.some((key) => key.kid === kid))
      return yield* no(`there is no key ${kid}`)
    // A gateway that has not taken up the newest key still seals with this one.
    if (!registered.some((key) => key.kid === encryption.activeKid))
      return yield* no(`no gateway has loaded ${encryption.activeKid} yet: start the gateway, or wait a second`)
    const forget = encryption.byKid.has(kid) ? sealed.forget(kid) : withoutGateway(kid, sealed.forget(kid))
    if (!(yield* forget))
      return yield* no(
        `stored secrets still need ${kid}: the running gateway is re-encrypting them with ${encryption.activeKid}`,
      )
    return kid
  })

/**
 * After the commit, for until then rows may name the key. One that stays in the file, after a kill in between, is registered nowhere and
 * seals nothing: the same command takes it away.
 */
const dropFromFile = (settings: KeySettings, kid: string) =>
  Effect.sync(() => {
    const keys = settings.encryptionKeys === null ? keysOfFile(settings) : null
    if (keys !== null) keyFiles(settings.dataDir).replace(ENCRYPTION_FILE, withoutKey(keys, kid))
  })

/** Only of a key that is really lost: what it sealed is gone. */
const abandon = (settings: KeySettings, kid: string, now: number) =>
  Effect.gen(function* () {
    const sealed = yield* SealedRows
    const { encryption } = readKeys(settings, { make: false })
    if (encryption.byKid.has(kid)) return yield* no(`${kid} is not lost: rotate and retire it instead`)
    if (!(yield* sealed.registered).some((key) => key.kid === kid)) return yield* no(`there is no key ${kid}`)
    yield* withoutGateway(kid, Effect.zipRight(sealed.abandon(kid, now), sealed.forget(kid)))
    return kid
  })

/** A previous key is kept until its last token is over by far. */
const KEPT_MILLIS = 24 * ACCESS_TOKEN_SECONDS * 1000

const rotateSigning = (settings: KeySettings, atOnce: boolean, now: number) =>
  Effect.suspend(() => {
    const files = keyFiles(settings.dataDir)
    const pem = files.read(SIGNING_FILE)
    if (settings.signingKey !== null)
      return no(
        "the key comes from SIGNING_KEY: set it to a new Ed25519 key, put the old one's public key into SIGNING_KEYS_PREVIOUS, and restart the gateway; the old one may be removed an hour later",
      )
    if (pem === null) return no("there is no signing.pem in DATA_DIR/keys: start the gateway once")
    for (const { kid, retiredAt } of readKeys(settings, { make: false }).signing.previous)
      if (atOnce || (retiredAt !== null && retiredAt + KEPT_MILLIS < now)) files.remove(`${PREVIOUS_FOLDER}/${kid}.pem`)
    const active = parseSigningKey(pem)
    // Before the new one is in force, or a crash between the two would refuse tokens that are good.
    if (!atOnce) files.replace(`${PREVIOUS_FOLDER}/${active.kid}.pem`, retiredKeyText(active, now))
    const fresh = newSigningKey()
    files.replace(SIGNING_FILE, fresh)
    return Effect.succeed(parseSigningKey(fresh).kid)
  })

const rotateCursor = (settings: KeySettings, atOnce: boolean, now: number) =>
  Effect.suspend(() => {
    if (settings.cursorKey !== null)
      return no(
        "the key comes from CURSOR_KEY: put a new kid:key first in that list (32 random bytes, base64url) and restart the gateway; the old one may be removed eight days later",
      )
    const { roots } = readKeys(settings, { make: false })
    const text = withNewRoot(roots, now, atOnce)
    keyFiles(settings.dataDir).replace(CURSOR_FILE, text)
    return Effect.succeed(parseRootKeys(text, CURSOR_FILE)[0].kid)
  })

/** Answers the key that it is about. */
const change = (command: KeysChange, settings: KeySettings, now: number) => {
  switch (command._tag) {
    case "RotateEncryption":
      return rotateEncryption(settings)
    case "RetireKey":
      return retire(settings, command.kid)
    case "AbandonKey":
      return abandon(settings, command.kid, now)
    case "RotateSigning":
      return rotateSigning(settings, command.atOnce, now)
    case "RotateCursor":
      return rotateCursor(settings, command.atOnce, now)
  }
}

const actOf = (command: KeysChange, actor: Actor) => ({
  actId: randomUUID(),
  action: ACTIONS[command._tag],
  actor,
  object: "kid" in command ? keyObject(command.kid) : null,
  ...("atOnce" in command && command.atOnce ? { what: "at once" } : {}),
})

/** What there is afterwards. */
export const runKeysCommand = (command: KeysCommand, settings: KeySettings, now: number, actor: Actor) =>
  Effect.gen(function* () {
    if (!(yield* (yield* SealedRows).isThere))
      return yield* no("the database has not been used by this version of the gateway yet: start the gateway once")
    yield* (yield* SealedRows).alone
    if (command._tag !== "KeysStatus")
      yield* (yield* Acts).commit(actOf(command, actor), (learn: (learnt: Learnt) => void) =>
        Effect.map(change(command, settings, now), (kid) => learn({ object: keyObject(kid) })),
      )
    if (command._tag === "RetireKey") yield* dropFromFile(settings, command.kid)
    return yield* report(settings)
  }).pipe(Effect.scoped)
