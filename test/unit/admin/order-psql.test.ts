/** The words of `gateway admin order` and `psql`, and what the client of the database is told. */
import { expect, it } from "vitest"
import { parseOrder } from "../../../src/admin/order.ts"
import { clientEnvironment, parsePsql, passedOn } from "../../../src/admin/psql.ts"

const ID = "0190a7c2-7b1e-7c3a-9b1e-2f6a5d4c3b2a"

it("takes a client's own words only with the account that they are of", () => {
  expect(parseOrder(["order", ID])).toMatchObject({ name: ID, tradingAccountId: null, asRecord: false })
  expect(parseOrder(["order", "my-order", ID, "--json"])).toMatchObject({
    name: "my-order",
    tradingAccountId: ID,
    asRecord: true,
  })
  expect(parseOrder(["order", ID, "--events-after", "1200"])).toMatchObject({ name: ID, eventsAfter: 1_200 })
  for (const words of [
    ["order", ID, "--events-after"],
    ["order", ID, "--events-after", "none"],
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
  expect(parsePsql(["psql", "--url"])).toMatchObject({ isUrl: true, mayWrite: true })
  expect(parsePsql(["psql", "--url", "more"])).toBeUndefined()
  const socket = "postgresql://gateway:abc@localhost/gateway?host=%2Fvar%2Frun%2Fgw"
  expect(clientEnvironment(socket)).toEqual({
    PGHOST: "/var/run/gw",
    PGUSER: "gateway",
    PGPASSWORD: "abc",
    PGDATABASE: "gateway",
    PGAPPNAME: "venue-gateway admin psql",
  })
})

it("verifies a server over a network, by the certificates that its address names", () => {
  const remote = "postgresql://me:p%40ss@db.example:6432/gw"
  expect(clientEnvironment(remote)).toMatchObject({
    PGHOST: "db.example",
    PGPORT: "6432",
    PGPASSWORD: "p@ss",
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: "system",
  })
  expect(clientEnvironment(`${remote}?sslrootcert=/etc/ca.pem`)["PGSSLROOTCERT"]).toBe("/etc/ca.pem")
})

it("gives the client nothing of this process's environment that names another server, or is a secret", () => {
  const env = { PATH: "/bin", TERM: "xterm", LC_ALL: "C", PSQL_PAGER: "less", HOME: "/root" }
  const others = {
    PGHOSTADDR: "10.0.0.1",
    PGSERVICE: "x",
    PGOPTIONS: "-c role=x",
    PGPASSFILE: "/x",
    ENCRYPTION_KEYS: "k",
    PSQLRC: "/x",
  }
  expect(passedOn({ ...env, ...others })).toEqual(env)
})
