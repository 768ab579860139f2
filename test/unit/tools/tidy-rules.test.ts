/** Plants one violation of every house rule: a rule that cannot fail is a defect. */
import { describe, expect, it } from "vitest"
import { migrationFaults, openingFaults, spoken, tidy } from "../../kit/rules/tidy-rules.ts"

const said = (path: string, text: string): ReadonlyArray<string> => tidy({ path, text }).map(spoken)

// Composed, so that this file keeps the rules about words itself.
const postponed = ["TO", "DO"].join("")
const machine = ["", "home", "somebody"].join("/")

const planted: ReadonlyArray<readonly [path: string, text: string, banned: string]> = [
  ["src/actors/dealer/dealer.ts", "const at = Date.now()", "Date.now"],
  ["src/domain/dealer/quote.ts", "const at = new Date()", "new Date()"],
  ["src/kernel/actor.ts", "const at = performance.now()", "performance.now"],
  ["src/domain/ids.ts", "const id = crypto.randomUUID()", "crypto.randomUUID"],
  [
    "src/domain/ids.ts",
    'import { randomUUID } from "node:crypto"\nexport const next = () => randomUUID()',
    "randomUUID",
  ],
  ["src/actors/dealer/dealer.ts", "const x = Math.random()", "Math.random"],
  ["src/kernel/actor.ts", "setTimeout(wake, 10)", "setTimeout"],
  ["src/actors/dealer/dealer.ts", "globalThis.setInterval(wake, 10)", "setInterval"],
  ["src/http/edge/server.ts", "Effect.runPromise(program)", "runPromise"],
  ["src/ws/server.ts", "Runtime.runFork(runtime)(program)", "runFork"],
  ["src/store/users/users.ts", "const user = Effect.runSyncExit(find)", "runSyncExit"],
  ["src/domain/decimal.ts", "const x = parseFloat(text)", "parseFloat"],
  ["src/ledger/ledger.ts", "const x = Number.parseFloat(text)", "Number.parseFloat"],
  ["src/actors/dealer/dealer.ts", "const x = Number(level.price)", "Number(level.price)"],
  ["src/actors/dealer/dealer.ts", "const x = +order.quantity", "+order.quantity"],
  ["src/domain/dealer/pricing.ts", "const x = y.toFixed(2)", "toFixed"],
  ["test/unit/a.test.ts", 'it.only("runs", () => {})', ".only("],
  ["test/unit/a.test.ts", 'describe.skip("rests", () => {})', ".skip("],
  ["test/unit/a.test.ts", 'it.effect.skip("rests", () => Effect.void)', ".skip("],
  ["test/unit/a.test.ts", 'it.todo("comes")', ".todo("],
  ["src/http/edge/mount.ts", "try { send() } catch {}", "an empty catch"],
  ["src/http/edge/mount.ts", "try { send() } catch (error) { /* carry on */ }", "an empty catch"],
  ["src/venues/venues.ts", "close().catch(() => {})", "an empty .catch()"],
  ["src/actors/dealer/dealer.ts", "program.pipe(Effect.catchAllCause(() => Effect.void))", "catchAllCause"],
  ["src/auth/session/sessions.ts", "yield* Effect.forkScoped(look)", "Effect.forkScoped"],
  ["src/actors/market/feed.ts", "const life = look.pipe(Effect.forever)", "Effect.forever"],
  ["src/composition/keys.ts", "Effect.forkDaemon(Effect.repeat(look, every))", "Effect.repeat"],
  ["src/mail/postman.ts", "look.pipe(Effect.schedule(every), Effect.forkDaemon)", "Effect.schedule"],
  ["src/http/dealer/handlers.ts", "Object.assign(record, body)", "Object.assign"],
  ["src/http/dealer/handlers.ts", "const record = { ...request.body }", "...request.body"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the planted code has it
  ["src/store/a.ts", "sql.unsafe(`SELECT 1 FROM app_user WHERE email = '${email}'`)", "a statement made of values"],
  ["src/store/users/users.ts", "client.query('SELECT ' + column)", "a statement made of values"],
  ["src/store/users/users.ts", "export default function users() {}", "export default"],
  ["src/store/index.ts", "export {}", "index.ts"],
  ["src/store/users/users.ts", `// ${postponed}: later`, postponed],
  ["src/store/migrations/0001_users.sql", `-- ${postponed}`, postponed],
  ["docs/map/README.md", `see ${machine}`, machine],
  ["src/store/users/users.ts", "// @ts-ignore", "@ts-ignore"],
  ["docs/operations/keys.md", "Whoever holds both can read them.", "Whoever"],
  ["src/ports/metric-names.ts", 'help: "Orders of a client and his accounts"', "his"],
  ["README.md", "anybody may sign up", "anybody"],
]

const allowed: ReadonlyArray<readonly [path: string, text: string]> = [
  ["src/kernel/loop.ts", "Effect.forkScoped(Effect.forever(round))"],
  ["src/store/users/users.ts", "find.pipe(Effect.retry(Schedule.forever))"],
  ["src/actors/dealer/dealer.ts", "// never Date.now() here\nconst at = clock.now()"],
  ["src/foundation/time.ts", "const at = new Date(atMillis)"],
  ["src/http/edge/server.ts", "const at = Date.now()"],
  ["src/main.ts", "Effect.runPromise(program)"],
  ["src/actors/dealer/dealer.ts", "const limit = Number(settings.mailboxMax)"],
  ["test/integration/a.test.ts", 'describe.skipIf(absent)("replays", () => {})'],
  ["src/http/dealer/handlers.ts", "const record = { ...defaults, name: body.name }"],
  ["src/venues/worker/connector.ts", "export default async () => {}"],
  ["docs/map/README.md", "served at /api/v3/home/page and ../shared/work/x"],
  ["docs/operations/settings.md", "runs as `nobody`, the other way"],
  ["docs/decisions/0027-addresses-tenants-rights.md", "whoever asks"],
]

describe("a house rule", () => {
  it.each(planted)("finds in %s: %s", (path, text, banned) => {
    expect(said(path, text)).toHaveLength(1)
    expect(said(path, text)[0]).toMatch(/^[^:]+:\d+: /)
    expect(said(path, text)[0]).toContain(`${banned} is banned, use `)
  })

  it.each(allowed)("leaves alone in %s: %s", (path, text) => {
    expect(said(path, text)).toEqual([])
  })

  it("gives the line of the fault", () => {
    expect(said("src/actors/dealer/dealer.ts", "\n\nconst a = 1\nconst b = Date.now()")[0]).toMatch(
      /^src\/actors\/dealer\/dealer.ts:4: /,
    )
  })

  it("takes an exception with a reason, on the line or the line before", () => {
    const fault = "const at = Date.now()"
    expect(said("src/actors/a.ts", `${fault} // tidy: the reason`)).toEqual([])
    expect(said("src/actors/a.ts", `// tidy: the reason\n${fault}`)).toEqual([])
    expect(said("src/actors/a.ts", `// tidy:\n${fault}`)).toHaveLength(1)
    expect(said("src/actors/a.ts", `// tidy: the reason\n\n${fault}`)).toHaveLength(1)
  })

  it("refuses two rows of the errno table with one number", () => {
    const table = "export const ERRNO = {\n  A: { status: 400, errno: -1 },\n  B: { status: 400, errno: -1 },\n}"
    expect(said("src/http/edge/errno.ts", table)).toEqual([
      "src/http/edge/errno.ts:3: errno -1 again is banned, use another number, A has it",
    ])
    expect(said("src/http/edge/errno.ts", table.replace("errno: -1", "errno: -2"))).toEqual([])
  })

  it("refuses a file that does not say what it is", () => {
    expect(openingFaults({ path: "src/store/users/users.ts", text: "export const x = 1" })).toHaveLength(1)
    expect(
      openingFaults({ path: "src/store/users/users.ts", text: "/** Who may log in. */\nexport const x = 1" }),
    ).toEqual([])
    expect(openingFaults({ path: "src/store/users/users.ts", text: "// Who may log in.\nexport const x = 1" })).toEqual(
      [],
    )
    expect(openingFaults({ path: "src/store/migrations/0001_a.sql", text: "CREATE TABLE a ()" })).toHaveLength(1)
    expect(openingFaults({ path: "docs/map/README.md", text: "# Map" })).toEqual([])
  })

  it("refuses migrations with a gap, a pair or another name", () => {
    expect(migrationFaults(["0001_a.sql", "0002_b.sql"])).toEqual([])
    expect(migrationFaults(["0001_a.sql", "0003_b.sql"])).toHaveLength(1)
    expect(migrationFaults(["0001_a.sql", "0001_b.sql"])).toHaveLength(1)
    expect(migrationFaults(["0001_a.ts"])).toHaveLength(1)
  })
})
