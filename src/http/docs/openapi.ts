/**
 * The OpenAPI document, made of the same declaration that the routes come from: envelope, bearer scheme, and every failure by status
 * with its errno. `OpenApi.fromApi` adds its own decode error to every 400, which no client ever sees: responses are written here.
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { type SchemaAST as AST, Context, Option } from "effect"
import { API_KEY_RULES, Api, SERVICE } from "../api.ts"
import { FailureEnvelope, failureTagsOf } from "../edge/envelope.ts"
import { ERRNO, type Tag } from "../edge/errno.ts"
import { Access, type AccessLevel, Fresh } from "../edge/route.ts"
import type { KeyRule } from "../key-scopes.ts"
import { takesIdempotencyKey } from "../limits/idempotency.ts"
import { costOf, type RouteCost } from "../limits/rate-limit.ts"

// Request bodies that work as they stand on a fresh gateway (the account id aside), for the reference's "try it out".

interface Example {
  readonly summary: string
  readonly value: Readonly<Record<string, unknown>>
}

const account = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f"
const person = { email: "ada@example.com", password: "correct-horse-battery" }

/** By operationId and name. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  "auth.signup": { newUser: { summary: "A new user", value: { ...person, metadata: { desk: "fx" } } } },
  "auth.login": { login: { summary: "The same user", value: person } },
  "auth.recover": { recover: { summary: "The same user", value: { email: person.email } } },
  "auth.update": { metadata: { summary: "One key of the metadata", value: { metadata: { desk: "rates" } } } },
  "tradingAccount.connect": {
    mock: {
      summary: "The built-in venue, no credentials",
      value: { venue: "MOCK", externalTradingAccountId: "demo", nickname: "My first account" },
    },
    venue: {
      summary: "A venue, with a credential from credential/create",
      value: { venue: "BINANCE_UAT", credentialIds: ["0198f3a2-6c2d-7d4f-8e30-7b2c1d3e4f50"], nickname: "Testnet" },
    },
  },
  "tradeOrder.submit": {
    limit: {
      summary: "A resting limit order",
      value: {
        tradingAccountId: account,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.01",
        limitPrice: "20000",
        idempotencyKey: "my-first-order",
      },
    },
    market: {
      summary: "A market order, returned once it is closed",
      value: {
        tradingAccountId: account,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "SELL",
        orderType: "MARKET",
        quantity: "0.01",
        awaitClosed: true,
      },
    },
  },
  "tradeOrder.cancel": {
    cancel: {
      summary: "By the order's id",
      value: { tradingAccountId: account, tradeOrderId: "0198f3a2-7d3e-7e50-9f41-8c3d2e4f5061" },
    },
  },
  "tradeOrder.replace": {
    price: {
      summary: "Another price",
      value: { tradingAccountId: account, tradeOrderId: "0198f3a2-7d3e-7e50-9f41-8c3d2e4f5061", limitPrice: "20100" },
    },
  },
  "tradeOrder.cancelAll": {
    all: { summary: "All orders of the account", value: { tradingAccountId: account } },
    instrument: {
      summary: "Those of one instrument",
      value: { tradingAccountId: account, instrumentId: "MOCK:BTC/USDT" },
    },
  },
  "tradeOrder.cancelAllAfter": {
    heartbeat: { summary: "In 30 s, unless called again", value: { tradingAccountId: account, timeoutMs: 30_000 } },
    off: { summary: "Off", value: { tradingAccountId: account, timeoutMs: 0 } },
  },
  "market.instrumentSync": { mock: { summary: "Everything MOCK lists", value: { venue: "MOCK" } } },
  "subscription.subscribe": { book: { summary: "One book", value: { instrumentId: "MOCK:BTC/USDT" } } },
}

const INTRODUCTION = `
Every answer has the same envelope: \`success\`, \`errno\` (0, or the failure's negative number), \`error\`, \`data\`; lists add \`pagination\`,
failures add \`details\`. Look at the HTTP status and at \`success\`.

**First steps.** Sign up (\`POST /api/v3/auth/signup\`), press *Authorize* and paste the \`accessToken\`, connect a MOCK account
(\`POST /api/v3/tradingAccount/connect\`), look at a book (\`GET /api/v3/market/orderbook/get?instrumentId=MOCK:BTC/USDT\`), submit an order.

**Conventions.** Instants are milliseconds since the Unix epoch, with an ISO 8601 sibling named \`…DateTime\`. Decimals are JSON strings:
an optional minus sign, digits, an optional fraction; never a number. Every answer carries \`X-Request-ID\`. Live updates come over the
WebSocket at \`/connection/websocket\`: [how to use it](/docs/realtime), with programs to copy.
`.trim()

const AUTHENTICATED: ReadonlyArray<Tag> = [
  "AccessTokenMissing",
  "InvalidAccessToken",
  "AccessTokenExpired",
  "SessionRevoked",
  "ApiKeyRevoked",
  "ApiKeyExpired",
]
const WITH_QUERY: ReadonlyArray<Tag> = ["MissingParameter", "InvalidParameter"]
const WITH_BODY: ReadonlyArray<Tag> = [
  "MalformedJson",
  "InvalidRequest",
  "MissingParameter",
  "InvalidParameter",
  "UnsupportedContentType",
  "PayloadTooLarge",
]
const ALWAYS: ReadonlyArray<Tag> = [
  "TlsRequired",
  "RateLimited",
  "InternalDefect",
  "Busy",
  "ShuttingDown",
  "StorageUnavailable",
  "DeadlineExceeded",
]

type Operation = OpenApi.OpenAPISpecOperation
type Responses = OpenApi.OpenAPISpecResponses

/** What is read of a reflected endpoint. */
interface Declared {
  readonly annotations: Context.Context<never>
  readonly errorSchema: { readonly ast: AST.AST }
  readonly urlParamsSchema: Option.Option<unknown>
  readonly payloadSchema: Option.Option<unknown>
}

const accessOf = (endpoint: Declared): AccessLevel =>
  Option.getOrElse(
    Context.getOption(endpoint.annotations as Context.Context<Access>, Access),
    (): AccessLevel => "none",
  )

const PROVEN: ReadonlyArray<Tag> = ["ReauthenticationNeeded"]
const NOT_BY_KEY: ReadonlyArray<Tag> = ["ApiKeyForbidden"]
const needsProof = (endpoint: Declared): boolean => Context.get(endpoint.annotations, Fresh) !== null

const tagsOf = (endpoint: Declared, rule: KeyRule): ReadonlyArray<Tag> => {
  const access = accessOf(endpoint)
  const permission: ReadonlyArray<Tag> =
    access === "admin"
      ? ["AdminRequired"]
      : access === "none" || access === "session"
        ? []
        : ["InsufficientPermissions"]
  return [
    ...failureTagsOf(endpoint.errorSchema.ast),
    ...(access === "none" ? [] : AUTHENTICATED),
    ...permission,
    ...(needsProof(endpoint) ? PROVEN : []),
    ...(needsProof(endpoint) || !rule.limited ? NOT_BY_KEY : []),
    ...(endpoint.urlParamsSchema._tag === "Some" ? WITH_QUERY : []),
    ...(endpoint.payloadSchema._tag === "Some" ? WITH_BODY : []),
    ...ALWAYS,
  ]
}

const FAILURE = { $ref: "#/components/schemas/Failure" }
const headers = (...names: ReadonlyArray<keyof typeof RESPONSE_HEADERS>) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const RESPONSE_HEADERS = {
  "X-Request-ID": { description: "The request's identifier", schema: { type: "string" } },
  "X-RateLimit-Limit": {
    description: "The sustained rate: tokens per X-RateLimit-Window seconds",
    schema: { type: "integer" },
  },
  "X-RateLimit-Window": { description: "Seconds in which the limit is replenished", schema: { type: "integer" } },
  "X-RateLimit-Burst": { description: "Tokens of a full bucket: the largest burst", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Remaining tokens", schema: { type: "integer" } },
  "X-RateLimit-Reset": {
    description: "Time at which the bucket is full again, in Unix seconds",
    schema: { type: "integer" },
  },
  "X-RateLimit-Bucket": { description: "Name of the bucket in RATE_LIMITS", schema: { type: "string" } },
  "X-Order-Count-1S": {
    description:
      "Submits of the account in the second in which this one was counted, including itself; if it was not counted, those of the current second. On tradeOrder/submit and replace",
    schema: { type: "integer" },
  },
  "X-Venue-Weight-Used": {
    description:
      "Use of the venue's request budget, as of its connector's last heartbeat; on order operations that called the venue",
    schema: { type: "integer" },
  },
  "X-Venue-Weight-Limit": { description: "That budget", schema: { type: "integer" } },
  "Retry-After": {
    description: "Whole seconds to wait before a retry, where a retry can succeed",
    schema: { type: "integer" },
  },
  "Idempotency-Replayed": {
    description:
      "true: the key was used before. For an order, the response has its current state; for any other operation, the answer of the first call",
    schema: { type: "string" },
  },
} as const

const ON_EVERY_ANSWER = [
  "X-Request-ID",
  "X-RateLimit-Limit",
  "X-RateLimit-Window",
  "X-RateLimit-Burst",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-RateLimit-Bucket",
] as const
const REPLAY = ["Idempotency-Replayed"] as const
const OF_VENUES = ["X-Venue-Weight-Used", "X-Venue-Weight-Limit"] as const

const orderHeadersOf = (bucket: RouteCost["bucket"]): ReadonlyArray<keyof typeof RESPONSE_HEADERS> =>
  bucket === "orderSubmit" ? ["X-Order-Count-1S", ...OF_VENUES] : bucket === "orderCancel" ? OF_VENUES : []

const costWords = ({ bucket, weight, more }: RouteCost): string =>
  bucket === "http" ? `Weight ${weight}${more === null ? "" : ", more for a deep book"}.` : `Rate limit: ${bucket}.`

/** Words of the failures by status: `-102001 ACCOUNT_FORBIDDEN`, one a line. */
const failuresOf = (tags: ReadonlyArray<Tag>): Record<number, object> => {
  const byStatus = new Map<number, Set<string>>()
  for (const tag of tags) {
    const { status, errno, code } = ERRNO[tag]
    const lines = byStatus.get(status) ?? new Set()
    byStatus.set(status, lines.add(`- \`${errno}\` ${code}`))
  }
  const responses: Record<number, object> = {}
  for (const [status, lines] of [...byStatus].sort(([a], [b]) => a - b))
    responses[status] = {
      description: [...lines].sort().join("\n"),
      headers:
        status === 429 || status === 503 ? headers(...ON_EVERY_ANSWER, "Retry-After") : headers(...ON_EVERY_ANSWER),
      content: { "application/json": { schema: FAILURE } },
    }
  return responses
}

const PERMISSION_WORDS: Readonly<Record<AccessLevel, string>> = {
  none: "No token.",
  session: "Needs a session.",
  read: "Needs the permission read.",
  write: "Needs the permission write.",
  admin: "Needs the permission admin.",
}

/** As `api.ts` has it of every endpoint. */
const ruleOf = (group: string, name: string): KeyRule =>
  (API_KEY_RULES as Readonly<Record<string, Readonly<Record<string, KeyRule>>>>)[group]![name]!

const keyWords = ({ scope, limited }: KeyRule): string => {
  if (scope === "open") return ""
  if (scope === "session") return "Not available to API keys. "
  return `API key: scope ${scope}${limited ? "" : ", not limited to accounts"}. `
}

const PARAMETERS = {
  "X-Request-ID": {
    name: "X-Request-ID",
    in: "header",
    required: false,
    description: "Your value is echoed if it has 1 to 64 letters, digits, dots, underscores or hyphens",
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,64}$" },
  },
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "The operation is performed at most once per key, user and operation; a repeat within 7 days gets the answer of the first call. A failed call releases its key",
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,64}$" },
  },
}

const ORDER_KEY = {
  ...PARAMETERS["Idempotency-Key"],
  description: "The order's idempotencyKey, as an alternative to the body. If both are given and differ: 400",
}

/** Of a query or a body, also where none is read. */
const FIELDS: ReadonlyArray<Tag> = ["UnknownField"]

const KEYED: ReadonlyArray<Tag> = ["IdempotencyKeyReused", "IdempotentOutcomeUnknown"]

const OF_THE_DECODE_ERROR: ReadonlySet<string> = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])

/** What a body holds or refers to takes no other fields than it names, as the compiled checks have it. Answers may get new ones. */
const close = (node: unknown, schemas: Readonly<Record<string, unknown>>, seen: Set<unknown>): void => {
  if (node === null || typeof node !== "object" || seen.has(node)) return
  seen.add(node)
  const record = node as Record<string, unknown>
  const { $ref } = record
  if (typeof $ref === "string") close(schemas[$ref.slice($ref.lastIndexOf("/") + 1)], schemas, seen)
  if (record["additionalProperties"] === true && "properties" in record) record["additionalProperties"] = false
  for (const value of Object.values(record)) close(value, schemas, seen)
}

/** Only to have the failure envelope written as the other schemas are. */
const FailureApi = HttpApi.make("failure").add(
  HttpApiGroup.make("failure").add(HttpApiEndpoint.get("failure", "/").addSuccess(FailureEnvelope)),
)

/** Without the titles that filters give themselves (`between(1, 1000)`), and without ids that stand there twice. */
const cleaned = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(cleaned)
  if (node === null || typeof node !== "object") return node
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === "$id" && typeof value === "string") continue
    if (key === "title" && typeof value === "string" && /^[a-z]\w*(\(.*\))?$/.test(value)) continue
    copy[key] = cleaned(value)
  }
  return copy
}

const document = (): object => {
  const generated = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
  const paths: Record<string, Record<string, object>> = {}
  const seen = new Set<unknown>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint }) => {
      const verb = endpoint.method.toLowerCase() as "get" | "post"
      const cost = costOf({ resource: group.identifier, action: endpoint.name }, endpoint.path)
      const operation = generated.paths[endpoint.path]?.[verb]
      if (operation === undefined) throw new Error(`${endpoint.method} ${endpoint.path} is not in the document`)
      const access = accessOf(endpoint)
      const rule = ruleOf(group.identifier, endpoint.name)
      const ok: Responses[number] | undefined = operation.responses[200]
      const examples = EXAMPLES[`${operation.operationId}`]
      const body = operation.requestBody?.content["application/json"]
      close(body?.schema, generated.components.schemas, seen)
      const isOrder = operation.operationId === "tradeOrder.submit"
      const isKeyed = takesIdempotencyKey({ method: endpoint.method, template: endpoint.path, access })
      const replays = isKeyed || isOrder
      const successHeaders = headers(...ON_EVERY_ANSWER, ...(replays ? REPLAY : []), ...orderHeadersOf(cost.bucket))
      const written: Omit<Operation, "responses" | "security" | "parameters" | "requestBody"> &
        Record<string, unknown> = {
        ...operation,
        description:
          `${operation.description ?? ""}\n\n${PERMISSION_WORDS[access]} ${keyWords(rule)}${costWords(cost)}`.trim(),
        parameters: [
          ...operation.parameters,
          { $ref: "#/components/parameters/X-Request-ID" },
          ...(isKeyed ? [{ $ref: "#/components/parameters/Idempotency-Key" }] : []),
          ...(isOrder ? [{ $ref: "#/components/parameters/Order-Key" }] : []),
        ],
        ...(body === undefined || examples === undefined
          ? {}
          : { requestBody: { required: true, content: { "application/json": { schema: body.schema, examples } } } }),
        security: access === "none" ? [] : [{ bearer: [] }],
        responses: {
          200: { ...ok, description: "Success", headers: successHeaders },
          ...failuresOf([
            ...tagsOf(endpoint, rule),
            ...(isKeyed ? KEYED : []),
            ...(group.identifier === "root" ? [] : FIELDS),
          ]),
        },
      }
      paths[endpoint.path] = { ...paths[endpoint.path], [verb]: written }
    },
  })
  const schemas: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(generated.components.schemas))
    if (!OF_THE_DECODE_ERROR.has(name)) schemas[name] = schema
  schemas["Failure"] = OpenApi.fromApi(FailureApi).components.schemas["Failure"]
  return cleaned({
    openapi: generated.openapi,
    info: { title: SERVICE.name, version: SERVICE.version, description: `${SERVICE.description}\n\n${INTRODUCTION}` },
    servers: [{ url: "/" }],
    tags: generated.tags,
    paths,
    components: {
      schemas,
      parameters: { ...PARAMETERS, "Order-Key": ORDER_KEY },
      headers: RESPONSE_HEADERS,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "accessToken of a session (JWT), or an API key (vgk_…)",
        },
      },
    },
  }) as object
}

let cached: object | undefined

/** OpenAPI 3.1; the same object each time. */
export const openApiDocument = (): object => {
  cached ??= document()
  return cached
}
