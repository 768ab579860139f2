/** Logins in numbers: what alerts compare is there from the start. */
import { expect, it } from "vitest"
import { countAudited } from "../../../src/auth/audit-log.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"

const logins = (board: MeterBoard) => board.readings().find(({ name }) => name === "auth_logins_total")?.samples

it("shows successes before there is one, so that failures of the first hour can be compared with them", () => {
  const board = new MeterBoard()
  const count = countAudited(board)
  expect(logins(board)).toEqual([{ labels: { result: "ok" }, value: 0 }])
  count({ action: "login", outcome: "InvalidLoginCredentials", origin: { ip: "", userAgent: null, requestId: "" } })
  expect(logins(board)).toEqual([
    { labels: { result: "ok" }, value: 0 },
    { labels: { result: "invalid_login_credentials" }, value: 1 },
  ])
})
