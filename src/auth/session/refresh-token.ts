/**
 * Refresh tokens that need no table: session id and counter, proven by an HMAC under the session's own key, plus a checksum that
 * rejects junk before any database work (security A.1, refresh v2). The state is one counter and one key on the session's row.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { SessionId } from "../../domain/ids.ts"

const VERSION = 0
const LENGTH = 1 + 16 + 6 + 16 + 4

export interface RefreshClaim {
  readonly sessionId: SessionId
  readonly counter: number
  /** Whether the session's key made this token. */
  readonly provenBy: (key: Buffer) => boolean
}

const mac = (key: Buffer, claim: Buffer) => createHmac("sha256", key).update(claim).digest().subarray(0, 16)
const checksum = (bytes: Buffer) => createHash("sha256").update(bytes).digest().subarray(0, 4)

export const writeRefreshToken = (sessionId: SessionId, counter: number, key: Buffer): string => {
  const claim = Buffer.alloc(23)
  claim.writeUInt8(VERSION, 0)
  Buffer.from(sessionId.replaceAll("-", ""), "hex").copy(claim, 1)
  claim.writeUIntBE(counter, 17, 6)
  const signed = Buffer.concat([claim, mac(key, claim)])
  return Buffer.concat([signed, checksum(signed)]).toString("base64url")
}

/** Undefined: not one of ours, whatever the key. */
export const readRefreshToken = (token: string): RefreshClaim | undefined => {
  if (!/^[A-Za-z0-9_-]{58}$/.test(token)) return undefined
  const bytes = Buffer.from(token, "base64url")
  if (bytes.length !== LENGTH || bytes.readUInt8(0) !== VERSION) return undefined
  const signed = bytes.subarray(0, LENGTH - 4)
  if (!timingSafeEqual(checksum(signed), bytes.subarray(LENGTH - 4))) return undefined
  const claim = bytes.subarray(0, 23)
  const hex = claim.subarray(1, 17).toString("hex")
  return {
    sessionId:
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as SessionId,
    counter: claim.readUIntBE(17, 6),
    provenBy: (key) => timingSafeEqual(mac(key, claim), bytes.subarray(23, 39)),
  }
}
