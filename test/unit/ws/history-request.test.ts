/** What a `history` command may ask for. */
import { describe, expect, it } from "vitest"
import { historyRequest } from "../../../src/ws/channels/queries.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"

describe("history", () => {
  it("in reverse since the beginning is a bad request", () => {
    expect(historyRequest({ limit: 1, reverse: true, since: { epoch: "e" } }, 300)).toBe(ERRORS.badRequest)
    expect(historyRequest({ limit: 1, reverse: true, since: { epoch: "e", offset: 0 } }, 300)).toBe(ERRORS.badRequest)
  })

  it("is bounded, and asks for the position alone when it says nothing", () => {
    expect(historyRequest({}, 300)).toEqual({ limit: 0, since: undefined, reverse: false })
    expect(historyRequest({ limit: -5, since: {} }, 300)).toEqual({
      limit: 300,
      since: { epoch: "", offset: 0 },
      reverse: false,
    })
    expect(historyRequest({ limit: 500 }, 300)).toMatchObject({ limit: 300 })
  })
})
