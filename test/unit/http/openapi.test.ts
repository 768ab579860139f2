/** The OpenAPI document is complete: every operation has words, security, an envelope, and every failure with its errno. */
import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { formInWords } from "../../../src/http/checks.ts"
import { EXAMPLES, openApiDocument } from "../../../src/http/docs/openapi.ts"

interface Media {
  readonly "application/json": { readonly schema: Record<string, unknown>; readonly examples?: object }
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<object>
  readonly requestBody?: { readonly content: Media }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Media }>>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

const document = openApiDocument() as Document
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ name: `${verb} ${path}`, path, operation })),
)
const text = JSON.stringify(document)

describe("the OpenAPI document", () => {
  it("has no pattern that its refusal could not say in words", () => {
    const patterns = new Set<string>()
    JSON.parse(text, (key, value: unknown) => {
      if (key === "pattern" && typeof value === "string") patterns.add(value)
      return value
    })
    expect(patterns.size).toBeGreaterThan(5)
    expect([...patterns].filter((it) => formInWords(it) === undefined)).toEqual([])
  })

  it("holds the paths of the contract", () => {
    const wanted = [
      "get /",
      "get /api/v3",
      "get /api/v3/",
      "get /api/v3/health",
      "get /health",
      "get /api/v3/health/live",
      "post /api/v3/auth/signup",
      "post /api/v3/auth/login",
      "post /api/v3/auth/token/refresh",
      "post /api/v3/auth/logout",
      "get /api/v3/auth/user",
      "get /api/v3/auth/jwks",
      "post /api/v3/auth/user/update",
      "post /api/v3/auth/reauthenticate",
      "get /api/v3/auth/totp",
      "post /api/v3/auth/totp/enrol",
      "post /api/v3/auth/totp/confirm",
      "post /api/v3/auth/totp/remove",
      "post /api/v3/auth/recoveryCode/renew",
      "post /api/v3/auth/recover",
      "post /api/v3/auth/resend",
      "post /api/v3/auth/verify",
      "get /api/v3/auth/session/list",
      "post /api/v3/auth/session/revoke",
      "get /api/v3/audit/list",
      "post /api/v3/admin/tradingMode",
      "get /api/v3/admin/order/get",
      "get /api/v3/admin/status",
      "get /api/v3/admin/user/list",
      "get /api/v3/admin/user/session/list",
      "post /api/v3/admin/user/grant",
      "post /api/v3/admin/user/revoke",
      "post /api/v3/admin/user/signOut",
      "post /api/v3/admin/user/resetSecondFactor",
      "get /api/v3/admin/network/list",
      "post /api/v3/admin/network/allow",
      "post /api/v3/admin/network/forget",
      "get /api/v3/admin/tenant/list",
      "post /api/v3/admin/tenant/create",
      "post /api/v3/admin/tenant/move",
      "post /api/v3/admin/user/ban",
      "post /api/v3/admin/user/unban",
      "post /api/v3/credential/create",
      "get /api/v3/credential/list",
      "post /api/v3/credential/revoke",
      "post /api/v3/tradingAccount/connect",
      "post /api/v3/tradingAccount/update",
      "get /api/v3/tradingAccount/list",
      "post /api/v3/tradingAccount/disconnect",
      "get /api/v3/tradingAccount/portfolio/list",
      "post /api/v3/tradeOrder/submit",
      "post /api/v3/tradeOrder/cancel",
      "post /api/v3/tradeOrder/replace",
      "post /api/v3/tradeOrder/cancelAll",
      "post /api/v3/tradeOrder/cancelAllAfter",
      "get /api/v3/tradeOrder/get",
      "get /api/v3/tradeOrder/list",
      "post /api/v3/market/instrument/sync",
      "get /api/v3/market/instrument/list",
      "get /api/v3/market/venue/list",
      "get /api/v3/market/venue/capability/list",
      "get /api/v3/market/orderbook/get",
      "get /api/v3/market/orderbook/list",
      "get /api/v3/market/ticker/get",
      "get /api/v3/market/ticker/list",
      "get /api/v3/market/kline/get",
      "post /api/v3/market/subscription/orderbook/subscribe",
      "post /api/v3/market/subscription/orderbook/unsubscribe",
      "get /api/v3/market/subscription/orderbook/list",
      "post /api/v3/market/instrument/create",
      "post /api/v3/market/instrument/retire",
      "post /api/v3/wallet/create",
      "get /api/v3/wallet/get",
      "get /api/v3/wallet/list",
      "post /api/v3/wallet/transfer",
      "post /api/v3/wallet/deposit",
      "post /api/v3/wallet/withdraw",
      "post /api/v3/wallet/freeze",
      "post /api/v3/wallet/unfreeze",
      "post /api/v3/wallet/close",
      "get /api/v3/wallet/transfer/list",
      "post /api/v3/dealer/create",
      "get /api/v3/dealer/get",
      "get /api/v3/dealer/list",
      "post /api/v3/dealer/update",
      "post /api/v3/dealer/pause",
      "post /api/v3/dealer/resume",
      "post /api/v3/dealer/archive",
      "post /api/v3/dealer/account/link",
      "post /api/v3/dealer/account/unlink",
      "post /api/v3/dealer/account/funding",
      "post /api/v3/dealer/hedge/resolve",
      "post /api/v3/quote/request",
      "get /api/v3/quote/get",
      "get /api/v3/quote/list",
      "get /api/v3/apiKey/list",
      "post /api/v3/apiKey/create",
      "post /api/v3/apiKey/revoke",
      "post /console/session/open",
      "post /console/session/signup",
      "post /console/session/verify",
      "post /console/session/reauthenticate",
      "post /console/session/renew",
      "post /console/session/end",
    ]
    expect(operations.map(({ name }) => name).sort()).toEqual([...wanted].sort())
    expect(document.info.version).toBe("3.0.1")
  })

  it.each(operations.map(({ name, operation }) => [name, operation] as const))(
    "is complete: %s",
    (_name, operation) => {
      expect(operation.summary).toMatch(/\S/)
      expect(operation.description).toMatch(/\S/)
      const isOpen = operation.security.length === 0
      if (!isOpen) expect(operation.security).toEqual([{ bearer: [] }])
      // A refresh token that is refused, and a second factor that is missing.
      const saysMore = [
        "auth.refresh",
        "auth.login",
        "auth.verify",
        "console.open",
        "console.signup",
        "console.verify",
        "console.renew",
      ].includes(operation.operationId)
      expect(operation.responses["401"] === undefined || !isOpen || saysMore).toBe(true)
      if (!isOpen) expect(operation.responses["401"]?.description).toContain("-100003")
      const envelope = operation.responses["200"]?.content["application/json"].schema
      expect(Object.keys((envelope?.["properties"] as object | undefined) ?? {})).toEqual(
        expect.arrayContaining(["success", "errno", "error", "data"]),
      )
      expect(operation.responses["500"]?.description).toContain("-190000")
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status === "200") continue
        expect(response.description).toMatch(/^- `-1\d{5}` [A-Z_]+/)
        expect(response.content["application/json"].schema).toEqual({ $ref: "#/components/schemas/Failure" })
      }
      if (operation.requestBody !== undefined) expect(operation.responses["413"]).toBeDefined()
    },
  )

  it("refers only to what is there, and knows nothing of the library's decode error", () => {
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? "")
    for (const name of names) expect(Object.keys(document.components.schemas)).toContain(name)
    expect(text).not.toContain("HttpApiDecodeError")
    expect(text).not.toContain("$id")
  })

  it("closes the bodies of requests to fields that they do not name, and leaves answers open", () => {
    const { schemas } = document.components
    const closed = (name: string): unknown => schemas[name]?.["additionalProperties"]
    for (const name of ["SubmitOrder", "CreateDealer", "DealerConfig", "PricingProfile", "QuoteCaps", "Login"])
      expect([name, closed(name)]).toEqual([name, false])
    for (const name of ["TradeOrder", "Pagination"]) expect([name, closed(name)]).not.toEqual([name, false])
    const submit = document.paths["/api/v3/tradeOrder/submit"]?.["post"]
    expect(submit?.responses["400"]?.description).toContain("`-104013` UNKNOWN_FIELD")
    const venues = document.paths["/api/v3/market/venue/list"]?.["get"]
    expect(venues?.responses["400"]?.description).toContain("`-104013` UNKNOWN_FIELD")
  })

  it("describes every tag that it uses", () => {
    const described = new Set(document.tags.filter((tag) => tag.description).map((tag) => tag.name))
    for (const { operation } of operations) for (const tag of operation.tags) expect(described).toContain(tag)
  })

  it("has examples that its own schemas accept", () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: "doc", ...document })
    for (const [id, examples] of Object.entries(EXAMPLES)) {
      const found = operations.find(({ operation }) => operation.operationId === id)
      const schema = found?.operation.requestBody?.content["application/json"].schema
      expect(schema, id).toBeDefined()
      const ref = schema?.["$ref"]
      const isValid = ajv.compile(typeof ref === "string" ? { $ref: `doc${ref}` } : (schema ?? {}))
      for (const { value } of Object.values(examples)) expect(isValid(value), JSON.stringify(isValid.errors)).toBe(true)
    }
  })
})
