/** Ids of requests: each is one, in the form of a uuid, and what a process has counted up goes on past the digits that it keeps ready. */
import { expect, it } from "vitest"
import { isUuid } from "../../src/foundation/uuid.ts"
import { requestIds } from "../../src/live.ts"

it("is another one each time, and counts on", () => {
  const next = requestIds()
  const ids = Array.from({ length: 10_000 }, next)
  expect(ids.every(isUuid)).toBe(true)
  expect(new Set(ids.map((id) => id.slice(0, 24))).size).toBe(1)
  expect(ids.map((id) => Number.parseInt(id.slice(24), 16))).toEqual(ids.map((_, index) => index + 1))
})
