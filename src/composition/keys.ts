/**
 * The installation's keys at run time: checked before anything is read with them, reloaded when the command line changes them, and stored secrets
 * re-encrypted with the newest. The one thing to know: a key is registered in the database before it encrypts anything.
 */
import { Data, Effect, Queue } from "effect"
import type { Audit } from "../auth/audit-log.ts"
import { DATABASE_FILE, keyFiles } from "../auth/keys/key-files.ts"
import { type KeyRing, type Keys, marksOf, readKeys } from "../auth/keys/keys.ts"
import { makeReseal } from "../auth/keys/reseal.ts"
import { type Envelope, open, placeIn } from "../auth/keys/secrets.ts"
import { Sessions } from "../auth/session/sessions.ts"
import type { Settings } from "../config.ts"
import { SYSTEM } from "../domain/user/act.ts"
import { dateTime } from "../foundation/time.ts"
import { keepLoop } from "../kernel/loop.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { Acts } from "../store/audit/acts.ts"
import type { OwnedNode } from "../store/postgres/node.ts"
import { NodeKeys, strangeTo } from "../store/postgres/node-keys.ts"
import { Transactions } from "../store/postgres/transactions.ts"
import { type SealedRow, SealedRows, type SealedTable } from "../store/users/sealed-rows.ts"
import type { GatewayOptions } from "./options.ts"

/** The files do not make keys, now: those in force go on. */
class UnreadableKeys extends Data.TaggedError("UnreadableKeys")<{ readonly message: string }> {}

/** A change by the command line is in force at most so much later. */
const FOLLOW_MILLIS = 500
/** A request that began before a new key was in force may end after all rows were sealed with it: it is looked for again. */
const AGAIN_MILLIS = 60_000
/** All stored secrets of an installation, in small bites. */
const RESEAL_LATE_AFTER = "6 hours"

const missingOf = (keys: Keys) =>
  Effect.gen(function* () {
    const inUse = yield* (yield* SealedRows).kidsInUse
    return inUse.filter((kid) => !keys.encryption.byKid.has(kid))
  })

/** Rows looked at of each table: one that was changed by hand must not stand for its key. */
const SAMPLE = 5

const opens = (keys: Keys, { table, id, ownerId, envelope }: SealedRow & { readonly table: SealedTable }): boolean => {
  try {
    open(keys.encryption, placeIn(table, id, ownerId), JSON.parse(envelope) as Envelope)
    return true
  } catch {
    return false
  }
}

/** Whether a key opens nothing of what was sealed under its name: another one has the name now. */
const isWrong = (keys: Keys, kid: string) =>
  Effect.gen(function* () {
    const sealed = yield* (yield* SealedRows).some(kid, SAMPLE)
    return sealed.length > 0 && !sealed.some((row) => opens(keys, row))
  })

/** Keys of which others have taken the names: not where a wrong one is put right. */
const renamed = (before: Keys, now: Keys) =>
  Effect.filter(
    [...now.encryption.byKid].flatMap(([kid, key]) =>
      before.encryption.byKid.get(kid)?.equals(key) === false ? kid : [],
    ),
    (kid) => isWrong(now, kid),
  )

/** Of those in force, one of each kind. */
const kidsOf = ({ encryption, signing, roots }: Keys) =>
  [encryption.activeKid, signing.active.kid, roots[0].kid] as const

const namesOf = (keys: Keys): string => {
  const [encryption, signing, cursor] = kidsOf(keys)
  return `encryption ${encryption}, signing ${signing}, cursor ${cursor}`
}

/** Registered, with the row of the audit that another key is in force: `kid`. */
const register = (keys: Keys, kid: string) =>
  Effect.gen(function* () {
    const { now } = yield* Clock
    const { uuid } = yield* Ids
    const { commit } = yield* Acts
    const rows = yield* SealedRows
    const object = { type: "KEY", id: kid, tenantId: null } as const
    yield* commit({ actId: uuid(), action: "keys.taken", actor: SYSTEM, object, what: namesOf(keys) }, () =>
      rows.register(keys.encryption.activeKid, now()),
    )
  })

/** Why a start on an empty database is refused; null: the keys of the data directory have sealed nothing yet, or the operator wants it. */
export const missingDatabase = ({ dataDir, operation }: Settings, what: string): string | null => {
  const since = keyFiles(dataDir).read(DATABASE_FILE)
  if (since === null || operation.newDatabase) return null
  return `the keys in ${dataDir}/keys have been in use since ${since}, and their database is missing: ${what}. Restore it, or name it in DATABASE_URL; NEW_DATABASE=true starts with an empty one`
}

type Owner = Pick<OwnedNode, "nodeId" | "epoch">

const SETTINGS = { encryption: "ENCRYPTION_KEYS", signing: "SIGNING_KEY", cursor: "CURSOR_KEY" } as const

/** Why these keys do not go with those of another process that runs on the database; undefined: they do, or there is no other. */
const discord = (keys: Keys, { nodeId }: Owner) =>
  Effect.gen(function* () {
    const own = marksOf(keys)
    for (const other of yield* (yield* NodeKeys).others(nodeId)) {
      const kind = strangeTo(own, other.marks)
      if (kind !== undefined)
        return `${SETTINGS[kind]}: node ${other.nodeId}, which runs on this database, has another ${kind} key: all nodes need the same (see docs/operations/keys.md)`
    }
    return undefined
  })

/** Told before it is asked for the others: of two that start at once one sees the other. */
const agree = (keys: Keys, owner: Owner) =>
  Effect.gen(function* () {
    const nodes = yield* NodeKeys
    yield* nodes.tell(owner, marksOf(keys))
    const why = yield* discord(keys, owner)
    if (why === undefined) return
    yield* nodes.tell(owner, null)
    return yield* Effect.fail(new InvalidSetting(why))
  })

/**
 * Start is refused when a stored secret names a key that is not there, or when that in force does not open it, or beside a process that does not
 * know them.
 */
export const registerKeys = (keys: Keys, settings: Settings, owner: Owner) =>
  Effect.gen(function* () {
    yield* agree(keys, owner)
    const missing = yield* missingOf(keys)
    if (missing.length > 0)
      return yield* Effect.fail(
        new InvalidSetting(
          `the encryption keys that stored secrets need are missing: ${missing.join(", ")} (ENCRYPTION_KEYS, or encryption.keys in DATA_DIR/keys; see docs/operations/keys.md)`,
        ),
      )
    const { activeKid } = keys.encryption
    // Older ones are not judged by their rows: after a rotation those that nothing opens are all that is left of them (reseal.ts).
    if (yield* isWrong(keys, activeKid))
      return yield* Effect.fail(
        new InvalidSetting(
          `the encryption key ${activeKid} does not decrypt what was sealed under its id: another key now has that id (ENCRYPTION_KEYS, or encryption.keys in DATA_DIR/keys; restore the one that belongs to this database, see docs/operations/keys.md)`,
        ),
      )
    const rows = yield* SealedRows
    const registered = yield* rows.registered
    const now = (yield* Clock).now()
    // The first of an installation is made by its first start. One whose only key was given up has none, either, but users.
    if (registered.length === 0) {
      const { dataDir, databaseUrl } = settings
      const what = databaseUrl === null ? `${dataDir}/postgres is empty` : "the one that DATABASE_URL names is empty"
      const refusal = (yield* rows.hasUsers) ? null : missingDatabase(settings, what)
      if (refusal !== null) return yield* Effect.fail(new InvalidSetting(refusal))
      yield* rows.register(activeKid, now)
    } else if (!registered.some(({ kid }) => kid === activeKid)) yield* register(keys, activeKid)
    const files = keyFiles(settings.dataDir)
    if (registered.length > 0 && files.read(DATABASE_FILE) !== null) return
    // Where the keys may only be read there is no such guard.
    yield* Effect.ignore(Effect.try(() => files.replace(DATABASE_FILE, dateTime(now))))
  })

/** Until the scope ends. Answers how the sealing stands. */
export const keepKeys = ({ settings, notice }: GatewayOptions, ring: KeyRing, audit: Audit, owner: Owner) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const reseal = yield* makeReseal({ keys: ring, audit, notice })
    const files = keyFiles(settings.dataDir)
    const bell = yield* Queue.sliding<void>(1)
    let stamp: string | null = null

    const take = (keys: Keys) =>
      Effect.gen(function* () {
        const missing = yield* missingOf(keys)
        if (missing.length > 0)
          return notice("changed keys were not loaded: stored secrets still need", { kids: missing })
        const taken = yield* renamed(ring, keys)
        if (taken.length > 0)
          return notice("changed keys were not loaded: their ids belong to other keys, which stored secrets need", {
            kids: taken,
          })
        const why = yield* discord(keys, owner)
        if (why !== undefined) return notice("changed keys were not loaded", { error: why })
        const before = kidsOf(ring)
        const other = kidsOf(keys).find((kid, index) => kid !== before[index])
        if (other !== undefined) yield* register(keys, other)
        yield* (yield* NodeKeys).tell(owner, marksOf(keys))
        ring.take(keys)
        sessions.forgetVerified()
        if (other !== undefined) yield* Queue.offer(bell, undefined)
      })

    const look = Effect.gen(function* () {
      const seen = files.stamp()
      if (seen === stamp) return
      // At start too: what changed since the keys were read first would never be seen otherwise.
      const keys = yield* Effect.try({
        try: () => readKeys(settings, { make: false }),
        catch: (error) => new UnreadableKeys({ message: String(error) }),
      })
      yield* take(keys)
      stamp = seen
    }).pipe(
      Effect.catchTag("UnreadableKeys", ({ message }) =>
        Effect.sync(() => {
          stamp = files.stamp()
          notice("changed keys were not loaded", { error: message })
        }),
      ),
    )

    yield* keepLoop({ name: "keys", pause: FOLLOW_MILLIS, round: look })
    // At start, too. What is not sealed anew is still read with its own key.
    yield* Queue.offer(bell, undefined)
    const awaits = Effect.raceFirst(Queue.take(bell), Effect.sleep(AGAIN_MILLIS))
    yield* keepLoop({ name: "reseal", awaits, round: reseal.run, lateAfter: RESEAL_LATE_AFTER })
    return reseal.stats
  }).pipe(Effect.provide(Transactions.Default))
