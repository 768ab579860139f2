/** Plants a wrong import for every layer of src/: a rule that cannot fail is a defect. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { tools, type Verdict } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

const value = (name: string): string => `export const ${name} = 1\nexport type ${name}Type = typeof ${name}\n`

/** One file in every place, importing nothing. */
const places = {
  "src/main.ts": value("main"),
  "src/config.ts": value("config"),
  "src/domain/ids.ts": value("ids"),
  "src/domain/reply.ts": value("reply"),
  "src/ports/venue-port.ts": value("venuePort"),
  "src/kernel/actor.ts": value("actor"),
  "src/actors/dealer/dealer.ts": value("dealer"),
  "src/venues/venues.ts": value("venues"),
  "src/venues/worker/exchange/load.ts": value("load"),
  "src/store/postgres/sql.ts": value("sql"),
  "src/store/users/users.ts": value("users"),
  "src/ledger/ledger.ts": value("ledger"),
  "src/auth/session/tokens.ts": value("tokens"),
  "src/http/edge/server.ts": value("server"),
  "src/http/edge/mount.ts": value("mount"),
  "src/otlp/exporters.ts": value("exporters"),
  "src/cluster/broker.ts": value("broker"),
  "src/ws/fanout/hub.ts": value("hub"),
  "src/ws/rpc.ts": value("rpc"),
  "test/kit/fake.ts": value("fake"),
}

type Edge = readonly [from: string, to: string, kind: "value" | "type", rule: string]

/** From, to, kind of import, and the rule that must answer. */
const refused: ReadonlyArray<Edge> = [
  ["src/domain/ids.ts", "../ports/venue-port.ts", "value", "layer-domain"],
  ["src/domain/reply.ts", "../ports/venue-port.ts", "type", "layer-domain"],
  ["src/ports/venue-port.ts", "../actors/dealer/dealer.ts", "type", "layer-ports"],
  ["src/kernel/actor.ts", "../domain/ids.ts", "type", "layer-kernel"],
  ["src/actors/dealer/dealer.ts", "../../store/users/users.ts", "value", "layer-actors"],
  ["src/venues/venues.ts", "../actors/dealer/dealer.ts", "value", "layer-venues"],
  ["src/store/users/users.ts", "../../kernel/actor.ts", "value", "layer-store"],
  ["src/store/postgres/sql.ts", "../../config.ts", "value", "layer-store-settings"],
  ["src/ledger/ledger.ts", "../store/users/users.ts", "value", "layer-ledger"],
  ["src/auth/session/tokens.ts", "../../http/edge/server.ts", "value", "layer-auth"],
  ["src/http/edge/server.ts", "../../venues/venues.ts", "value", "layer-http"],
  ["src/http/edge/mount.ts", "../../ws/fanout/hub.ts", "type", "layer-http"],
  ["src/ws/fanout/hub.ts", "../../store/users/users.ts", "type", "layer-ws"],
  ["src/config.ts", "./store/postgres/sql.ts", "value", "layer-config"],
  ["src/actors/dealer/dealer.ts", "../../main.ts", "type", "nobody-knows-main"],
  ["src/actors/dealer/dealer.ts", "../../../test/kit/fake.ts", "type", "src-alone"],
  ["src/main.ts", "./helpers/all.ts", "value", "known-place"],
  ["src/venues/venues.ts", "ccxt", "type", "ccxt-in-worker"],
  ["src/ws/rpc.ts", "uWebSockets.js", "type", "sockets-in-three-files"],
  ["src/auth/session/tokens.ts", "@effect/sql", "value", "sql-in-store"],
  ["src/http/edge/server.ts", "pg", "type", "sql-in-store"],
  ["src/http/edge/server.ts", "@effect/opentelemetry/OtlpTracer", "value", "collector-in-otlp"],
  ["src/otlp/exporters.ts", "@effect/opentelemetry", "value", "no-collector-sdk"],
  ["src/http/edge/server.ts", "http", "value", "read-when-needed"],
  ["src/cluster/broker.ts", "@nats-io/transport-node", "value", "read-when-needed"],
  ["src/http/edge/server.ts", "../gone.ts", "value", "resolvable"],
  ["src/http/edge/server.ts", "ws", "value", "no-dev-package-in-src"],
]

const accepted: ReadonlyArray<readonly [from: string, to: string, kind: "value" | "type"]> = [
  ["src/ports/venue-port.ts", "../domain/ids.ts", "value"],
  ["src/kernel/actor.ts", "../domain/reply.ts", "type"],
  ["src/actors/dealer/dealer.ts", "../../kernel/actor.ts", "value"],
  ["src/venues/worker/exchange/load.ts", "ccxt", "value"],
  ["src/store/postgres/sql.ts", "@effect/sql", "value"],
  ["src/store/postgres/sql.ts", "../../config.ts", "type"],
  ["src/store/users/users.ts", "pg", "type"],
  ["src/ledger/ledger.ts", "../store/postgres/sql.ts", "value"],
  ["src/auth/session/tokens.ts", "../../store/users/users.ts", "value"],
  ["src/http/edge/server.ts", "uWebSockets.js", "value"],
  ["src/http/edge/mount.ts", "../../actors/dealer/dealer.ts", "value"],
  ["src/ws/fanout/hub.ts", "../../auth/session/tokens.ts", "value"],
  ["src/otlp/exporters.ts", "@effect/opentelemetry/OtlpTracer", "value"],
  ["src/cluster/broker.ts", "@nats-io/transport-node", "type"],
  ["src/main.ts", "./ws/rpc.ts", "value"],
]

/** The places with these imports added; an imported place that does not exist yet appears. */
const withImports = (
  edges: ReadonlyArray<readonly [string, string, "value" | "type", string?]>,
): Record<string, string> => {
  const files: Record<string, string> = { ...places, "src/helpers/all.ts": value("all") }
  edges.forEach(([from, to, kind], index) => {
    const line = kind === "type" ? `import type * as x${index} from "${to}"` : `import * as x${index} from "${to}"`
    const use = kind === "type" ? `export type X${index} = keyof typeof x${index}` : `console.log(x${index})`
    files[from] = `${line}\n${files[from]}${use}\n`
  })
  return files
}

const cycle = {
  "src/domain/a.ts": 'import type { B } from "./b.ts"\n\nexport type A = { readonly b: B }\n',
  "src/domain/b.ts": 'import type { A } from "./a.ts"\n\nexport type B = { readonly a: A }\n',
}

describe("the layers", () => {
  // All wrong imports stand in one tree, because a run of the tool costs two seconds and an import does not.
  let judged: Promise<Verdict> | undefined
  const judge = (): Promise<Verdict> => {
    judged ??= tools.layers.check(plant({ ...withImports(refused), ...cycle }))
    return judged
  }

  it("fail a tree with wrong imports", async () => {
    expect((await judge()).passed).toBe(false)
    expect((await judge()).output).not.toContain("looked at no file")
  })

  it.each(refused)("refuse that %s imports %s (%s)", async (from, to, _kind, rule) => {
    const said = (await judge()).output
    const target = to.split("/").at(-1) ?? to
    const line = said
      .split("\n")
      .find((each) => each.includes(` ${rule}: `) && each.includes(from) && each.includes(target))
    expect(line, said).toBeDefined()
  })

  it("refuse a cycle, also one of types alone", async () => {
    expect((await judge()).output).toMatch(/ no-cycle: src\/domain\/[ab]\.ts/)
  })

  it("accept every import that the layers allow", async () => {
    const verdict = await tools.layers.check(plant(withImports(accepted)))
    expect(verdict.output).toContain("no dependency violations found")
    expect(verdict.passed).toBe(true)
  })

  it("fail when the tool sees no module", async () => {
    const tree = plant({ "src/domain/ids.ts": value("ids") })
    appendFileSync(join(tree, ".dependency-cruiser.cjs"), 'module.exports.options.exclude = "^src"\n')
    const verdict = await tools.layers.check(tree)
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("looked at no file")
  })
})
