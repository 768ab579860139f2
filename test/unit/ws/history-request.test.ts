/** What a `history` command may ask for. */
import { describe, expect, it } from "vitest"
import { historyRequest } from "../../../src/ws/channels/queries.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"

describe("history", () => {
  it.each([-1, -5, 1.5, 2 ** 53, Number.NaN, "1"])(
    "since the offset %s is a bad request, in either direction",
    (offset) => {
      for (const reverse of [false, true])
        expect(historyRequest({ limit: 1, reverse, since: { epoch: "e", offset } }, 300)).toBe(ERRORS.badRequest)
    },
  )

  it("since null, or since a position with nulls, is as if they were not there", () => {
    expect(historyRequest({ limit: 1, since: null }, 300)).toEqual({ limit: 1, since: undefined, reverse: false })
    const since = { epoch: null, offset: null }
    expect(historyRequest({ limit: 1, since }, 300)).toEqual({
      limit: 1,
      since: { epoch: "", offset: 0 },
      reverse: false,
    })
  })
})
