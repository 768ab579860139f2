/** What may be published by those who are not the gateway: any bytes, and JSON that whoever reads it can walk. */
import { ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import { isDeeperThan } from "../protocol/json-source.ts"
import type { JsonText } from "../protocol/protocol.ts"

/** As of a request over HTTP: JSON of great depth parses, but overflows the stack of a reader that walks it. */
const DEPTH_MAX = 32

export const TOO_DEEP: ProtocolError = {
  code: ERRORS.badRequest.code,
  message: `data is nested deeper than ${DEPTH_MAX} levels`,
}

export const isTooDeep = (content: JsonText | Uint8Array): boolean =>
  typeof content === "string" && isDeeperThan(content, DEPTH_MAX)
