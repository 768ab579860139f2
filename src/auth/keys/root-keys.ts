/**
 * Keys that encrypt nothing: for cursors, fingerprints, and hashed addresses in the audit. They are derived from a ring of roots, one
 * for each purpose, so that what is known of one says nothing of another. The one thing to know: the newest root makes, and all in the
 * ring are known again.
 */
import { hkdfSync, randomBytes } from "node:crypto"
import { InvalidSetting } from "../../settings/environment.ts"

export interface RootKey {
  readonly kid: string
  readonly key: Buffer
  /** Wall ms. */
  readonly madeAt: number
}

/** Newest first. */
export type RootKeys = readonly [RootKey, ...ReadonlyArray<RootKey>]
/** Of one purpose: the first makes. */
export type DerivedKeys = readonly [Buffer, ...ReadonlyArray<Buffer>]

export type Purpose = "cursor" | "fingerprint" | "audit"

/** What a file has that was made before there were rings: its key stood for every purpose itself. */
const FIRST = "first"
const BYTES = 32

/** Fingerprints are looked at again for a week; a day more. */
const KEPT_MILLIS = 8 * 86_400_000

const ONE = /^[A-Za-z0-9_-]{43}=?$/
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9_-]{43}=?):(\d{1,15})$/

export const parseRootKeys = (text: string, file: string): RootKeys => {
  if (ONE.test(text)) return [{ kid: FIRST, key: Buffer.from(text, "base64url"), madeAt: 0 }]
  const roots = text.split(",").map((entry): RootKey => {
    const m = ENTRY.exec(entry.trim())
    // An empty file would be a key that any attacker can guess.
    if (m === null) throw new InvalidSetting(`${file} must be kid:base64url of 32 bytes:time, comma separated`)
    return { kid: m[1]!, key: Buffer.from(m[2]!, "base64url"), madeAt: Number(m[3]) }
  })
  return roots as unknown as RootKeys
}

const textOf = (roots: ReadonlyArray<RootKey>): string =>
  roots.map(({ kid, key, madeAt }) => `${kid}:${key.toString("base64url")}:${madeAt}`).join(",")

const newRoot = (now: number): RootKey => ({
  kid: `c${randomBytes(4).toString("hex")}`,
  key: randomBytes(BYTES),
  madeAt: now,
})

export const newRootKeys = (now: number): string => textOf([newRoot(now)])

/** A new one in front; of the others those that something may still need, or none. */
export const withNewRoot = (roots: RootKeys, now: number, atOnce: boolean): string => {
  // One is needed for a while after the next one took its place.
  const needed = roots.filter((_root, index) => (roots[index - 1]?.madeAt ?? now) + KEPT_MILLIS > now)
  return textOf([newRoot(now), ...(atOnce ? [] : needed)])
}

export const derivedKeys = (roots: RootKeys, purpose: Purpose): DerivedKeys => {
  const derived = roots.map(({ key }) => Buffer.from(hkdfSync("sha256", key, "", `venue-gateway ${purpose}`, BYTES)))
  const plain = roots.filter(({ kid }) => kid === FIRST).map(({ key }) => key)
  return [...derived, ...plain] as unknown as DerivedKeys
}
