/** The one schema of every log line, as JSON Schema: docs/operations/logs.md shows it, and tests check real lines against it. */
import { LOG_LEVELS } from "./log-line.ts"

const text = (description: string, more: object = {}) => ({ type: "string", description, ...more })
const maybe = (description: string) => ({ type: ["string", "null"], description })
const count = (description: string) => ({ type: "number", minimum: 0, description })

export const LOG_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "A log line of the venue gateway",
  type: "object",
  required: ["ts", "level", "msg"],
  properties: {
    ts: text("Time, in UTC", { pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }),
    level: text("Severity", { enum: LOG_LEVELS }),
    msg: text("`access`, `audit`, `security`, or the message of a process log line"),
    requestId: text("X-Request-ID of the request; empty for the command line"),
    callId: text(
      "The gateway's own id of the request, present when the client supplied its own; audit rows carry this one",
    ),
    traceId: text("Id of the trace the request belongs to, if any", { pattern: "^[0-9a-f]{32}$" }),
    method: text("GET, POST …; RPC for a call over a socket", { pattern: "^[A-Z]{1,16}$" }),
    route: text("Route template, never the raw URL; * when no route matched"),
    status: {
      type: "integer",
      minimum: 0,
      maximum: 599,
      description: "HTTP status; 0: the client disconnected before the response",
    },
    errno: { type: "integer", description: "errno of the response envelope; 0: success" },
    durMs: count("Time from arrival to response, in ms"),
    bytesIn: count("Size of the request body"),
    bytesOut: count("Size of the response body"),
    userId: maybe("The user that made the request"),
    sessionId: maybe("Session of the access token; null for an API key"),
    keyId: text(
      "Id of the API key that authenticated the request or performed the audited operation; absent without one",
    ),
    tradingAccountId: maybe("Trading account named by the request"),
    tradeOrderId: text("Order created by a submit, or named by a get, cancel or replace; absent otherwise"),
    targetUserId: maybe("User an operation was performed on, if not the caller"),
    subject: maybe("Keyed hash of an e-mail address that may not belong to any user"),
    ip: text("Client address: of the connection, or as reported by a trusted proxy; `local` for the command line"),
    ua: maybe("User agent, at most 200 characters"),
    tls: { type: "boolean", description: "Whether the request arrived over TLS, here or at a trusted proxy" },
    aborted: {
      type: "boolean",
      description: "The client disconnected, or the connection was dropped without a response",
    },
    action: text("Audit lines: the operation"),
    outcome: text("Audit lines: `ok`, or the tag of the failure"),
    what: maybe("Details of the operation: a type, a scope, the names of changed fields"),
    event: text("Security lines: what happened", { pattern: "^[a-z]+(_[a-z]+)*$" }),
    code: text("Security lines: details.code of the response"),
    suppressed: count(
      "Security lines: number of identical events from the same address in the preceding 10 s that were not written",
    ),
  },
  additionalProperties: {
    description: "Process log lines: figures and names that belong to the message",
    type: ["string", "number", "boolean", "null", "array", "object"],
  },
} as const
