/** The one schema of every log line, as JSON Schema: what docs/operations/logs.md shows, and what tests hold real lines against. */
import { LOG_LEVELS } from "./log-line.ts"

const text = (description: string, more: object = {}) => ({ type: "string", description, ...more })
const maybe = (description: string) => ({ type: ["string", "null"], description })
const count = (description: string) => ({ type: "number", minimum: 0, description })

export const LOG_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "A line of a log of the venue gateway",
  type: "object",
  required: ["ts", "level", "msg"],
  properties: {
    ts: text("When, in UTC", { pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }),
    level: text("How much it matters", { enum: LOG_LEVELS }),
    msg: text("`access`, `audit`, `security`, or the process's own words"),
    requestId: text("X-Request-ID of the request; empty for the command line"),
    callId: text("The gateway's own id of the request, where the client named it: the one of the audit's rows"),
    traceId: text("Of the trace that the request belongs to, where there is one", { pattern: "^[0-9a-f]{32}$" }),
    method: text("GET, POST …; RPC for a call over a socket", { pattern: "^[A-Z]{1,16}$" }),
    route: text("The route's template, never the raw URL; * where there is none"),
    status: {
      type: "integer",
      minimum: 0,
      maximum: 599,
      description: "HTTP status; 0: the client left before the answer",
    },
    errno: { type: "integer", description: "Of the envelope; 0: success" },
    durMs: count("From the arrival to the answer, in ms"),
    bytesIn: count("Of the body"),
    bytesOut: count("Of the answer's body"),
    userId: maybe("Who"),
    sessionId: maybe("Of the session of the token"),
    tradingAccountId: maybe("Which account the request names"),
    targetUserId: maybe("Whom an act is about, where that is not the user itself"),
    subject: maybe("Keyed hash of an address that may be nobody's"),
    ip: text("Of the client: of the socket, or told by a trusted proxy; `local` for the command line"),
    ua: maybe("User agent, at most 200 characters"),
    tls: { type: "boolean", description: "Whether it came over TLS, here or at a trusted proxy" },
    aborted: { type: "boolean", description: "The client left, or the connection was dropped without an answer" },
    action: text("Of audit lines: what was done"),
    outcome: text("Of audit lines: `ok`, or the failure's tag"),
    what: maybe("Further words of the act itself: a type, a scope, names of changed fields"),
    event: text("Of security lines: what happened", { pattern: "^[a-z]+(_[a-z]+)*$" }),
    code: text("Of security lines: details.code of the answer"),
    suppressed: count("Of security lines: so many alike of the same address in the 10 s before are not written"),
  },
  additionalProperties: {
    description: "Of the process's own lines: figures and names that belong to the words",
    type: ["string", "number", "boolean", "null", "array", "object"],
  },
} as const
