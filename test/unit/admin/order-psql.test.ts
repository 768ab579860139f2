/** The words of `gateway admin order` and `psql`, and what the client of the database is told. */
import { expect, it } from "vitest"
import { parseOrder } from "../../../src/admin/order.ts"
import { clientEnvironment, parsePsql } from "../../../src/admin/psql.ts"

const ID = "0190a7c2-7b1e-7c3a-9b1e-2f6a5d4c3b2a"

it("takes a client's own words only with the account that they are of", () => {
  expect(parseOrder(["order", ID])).toMatchObject({ name: ID, tradingAccountId: null, asRecord: false })
  expect(parseOrder(["order", "my-order", ID, "--json"])).toMatchObject({
    name: "my-order",
    tradingAccountId: ID,
    asRecord: true,
  })
  for (const words of [
    ["order"],
    ["order", "my-order"],
    ["order", ID, "account"],
    ["order", ID, ID, ID],
    ["orders", ID],
  ])
    expect(parseOrder(words), words.join(" ")).toBeUndefined()
})

it("opens the database to read, unless it is told otherwise", () => {
  expect(parsePsql(["psql", "-c", "SELECT 1"])).toMatchObject({ mayWrite: false, words: ["-c", "SELECT 1"] })
  expect(parsePsql(["psql", "--write", "-c", "SELECT 1"])).toMatchObject({ mayWrite: true, words: ["-c", "SELECT 1"] })
  expect(parsePsql(["psql", "--url"])).toMatchObject({ isUrl: true })
  expect(parsePsql(["psql", "--url", "more"])).toBeUndefined()
  const socket = "postgresql://gateway:abc@localhost/gateway?host=%2Fvar%2Frun%2Fgw"
  expect(clientEnvironment(socket, false)).toEqual({
    PGHOST: "/var/run/gw",
    PGUSER: "gateway",
    PGPASSWORD: "abc",
    PGDATABASE: "gateway",
    PGAPPNAME: "venue-gateway admin psql",
    PGOPTIONS: "-c default_transaction_read_only=on",
  })
  expect(clientEnvironment(socket, true)["PGOPTIONS"]).toBeUndefined()
})

it("verifies a server over a network, by the certificates that its address names", () => {
  const remote = "postgresql://me:p%40ss@db.example:6432/gw"
  expect(clientEnvironment(remote, true)).toMatchObject({
    PGHOST: "db.example",
    PGPORT: "6432",
    PGPASSWORD: "p@ss",
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: "system",
  })
  expect(clientEnvironment(`${remote}?sslrootcert=/etc/ca.pem`, true)["PGSSLROOTCERT"]).toBe("/etc/ca.pem")
})
