/** Scoreboard B3, B5 and S11: bodies that are too long, JSON that is a weapon, and what a failure must not say. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { PROTOTYPE_KEYS } from "../../kit/http-fuzz/bad-values.ts"
import { declaredRoutes } from "../../kit/http-fuzz/declared-routes.ts"
import { HttpLine } from "../../kit/http-fuzz/http-line.ts"
import { type Asked, ask, request, rightShot, type Shot } from "../../kit/http-fuzz/table-run.ts"
import { api } from "../../kit/servers/gateway.ts"
import { isAskedHere, withStage, wrong } from "./bad-inputs-stage.ts"

const stage = withStage()
const routes = declaredRoutes()
const bodies = routes.filter(({ body }) => body !== undefined)
const route = (name: string) => routes.find((it) => it.name === name)!

describe("an oversize body", () => {
  const submit = route("tradeOrder.submit")
  const residentBytes = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${stage().gateway.pid}/status`, "utf8"))?.[1]) * 1024

  it("is refused from 65,537 bytes on, and read up to 65,536", async () => {
    const padded = (bytes: number): Shot => {
      const start = `{"x":"`
      const body = `${start}${"x".repeat(bytes - start.length - 2)}"}`
      return { route: submit, what: `${bytes} bytes`, bytes: request(submit, "", body, { token: stage().token }) }
    }
    const answers = await ask(stage().port, [padded(65_536), padded(65_537), padded(1_000_000)])
    expect(answers.map(({ status, errno }) => [status, errno])).toEqual([
      [400, -104013],
      [413, -104007],
      [413, -104007],
    ])
  })

  it("is not kept, whether its length is announced or has no end", async () => {
    const head = `POST ${submit.path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage().token}\r\nContent-Type: application/json\r\n`
    const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`)
    const endless = Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...Array(160).fill(chunk)])
    const announced = Buffer.concat([
      Buffer.from(`${head}Content-Length: 104857600\r\n\r\n`),
      Buffer.alloc(2_000_000, "x"),
    ])
    const send = async (bytes: Buffer): Promise<number> => {
      const line = new HttpLine(stage().port)
      const answer = await line.ask(bytes)
      line.end()
      // Cut off before it could read the answer: as good.
      return "ended" in answer ? 413 : answer.status
    }
    const answers: Array<number> = await Promise.all([send(endless), send(announced)])
    // A heap takes its place once; what is kept takes more each time.
    let grown = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && grown >= 64 * 1_048_576; time++) {
      const before = residentBytes()
      for (let round = 0; round < 10; round++)
        answers.push(...(await Promise.all([endless, announced, endless, announced].map(send))))
      grown = residentBytes() - before
    }
    expect(new Set(answers)).toEqual(new Set([413]))
    expect(grown).toBeLessThan(64 * 1_048_576)
    expect((await stage().admin.get("/health/live")).status).toBe(200)
  })
})

describe("JSON", () => {
  it("too deep, with too many keys, twice the same, or of no kind is refused on every route", async () => {
    const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")}}`
    const bombs = [
      deep(33),
      deep(10_000),
      `${"[".repeat(30_000)}`,
      `${"[".repeat(30_000)}${"]".repeat(30_000)}`,
      keys(1_001),
    ]
    const texts = [
      ...bombs,
      "null",
      "[]",
      "1",
      '"x"',
      "",
      "{",
      '{"a":1}{"b":2}',
      "{'a':1}",
      "{a:1}",
      "NaN",
      "\u0000",
      "[1,]",
    ]
    const shots = bodies
      .filter(({ name }) => isAskedHere(name))
      .flatMap((it) =>
        texts.map(
          (text): Shot => ({
            route: it,
            what: text.slice(0, 20),
            bytes: request(it, "", text, { token: stage().token }),
          }),
        ),
      )
    expect(
      wrong(
        await ask(stage().port, shots),
        ({ status, errno }) => status === 400 && errno <= -104000 && errno > -104004,
      ),
    ).toEqual([])
  })

  it("with the names of prototypes changes no prototype", async () => {
    const planted = PROTOTYPE_KEYS.map(
      (key) => `"${key}":{"polluted":"yes","isAdmin":true,"permissions":["admin"]}`,
    ).join(",")
    const shots = bodies
      .filter(({ name }) => isAskedHere(name))
      .flatMap((it): ReadonlyArray<Shot> => {
        const right = rightShot(it, { token: stage().token }).bytes.toString("utf8")
        const body = right.slice(right.indexOf("\r\n\r\n") + 4)
        const text = `{${planted}${body === "{}" ? "" : ","}${body.slice(1)}`
        const nested = `{"metadata":{${planted}},"config":{${planted}},${planted}${body === "{}" ? "" : ","}${body.slice(1)}`
        return [text, nested].map((one) => ({
          route: it,
          what: "prototypes",
          bytes: request(it, "", one, { token: stage().token }),
        }))
      })
    const away = (answer: Asked): boolean => answer.status === 503 && answer.errno === -130001
    expect(
      wrong(await ask(stage().port, shots), (answer) => answer.status > 0 && (answer.status < 500 || away(answer))),
    ).toEqual([])
    const updated = await stage().admin.post(
      "/auth/user/update",
      JSON.parse(`{"metadata":{"a":1,"constructor":{"x":2},"__proto__":{"y":3}}}`),
    )
    expect(updated.status).toBe(200)
    expect(updated.text).not.toContain("polluted")
    expect(stage().gateway.stderr()).toContain("frozen\n")
    const other = await api(stage().gateway).signup("other@example.com")
    expect(other.text).not.toContain("polluted")
    expect((await api(stage().gateway).as(other.record.accessToken).get("/dealer/list")).envelope.errno).toBe(-102003)
  })
})

describe("a failure", () => {
  const LEAK =
    /\bat \S+ \(|node_modules|\.[cm]?[jt]s:\d|\b(SELECT|INSERT|UPDATE|DELETE) |relation "|ccxt|ECONN|errno: |syscall|\/(usr|etc|src|dist)\/|stack/i

  it("has its own code and none of the inside, on every route", async () => {
    const kinds: ReadonlyArray<
      readonly [what: string, of: (it: (typeof routes)[number]) => Buffer | undefined, errno: number, status: number]
    > = [
      ["no token", (it) => (it.access === "none" ? undefined : rightShot(it, {}).bytes), -100002, 401],
      [
        "a bad token",
        (it) => (it.access === "none" ? undefined : rightShot(it, { token: "a.b.c" }).bytes),
        -100003,
        401,
      ],
      ["another method", (it) => rightShot(it, { token: stage().token, method: "DELETE" }).bytes, -104005, 405],
      [
        "no such path",
        (it) => rightShot(it, { token: stage().token, path: `${it.path.replace(/\/$/, "")}/x` }).bytes,
        -104004,
        404,
      ],
      [
        "bad JSON",
        (it) => (it.body === undefined ? undefined : request(it, "", "{", { token: stage().token })),
        -104001,
        400,
      ],
      [
        "no object",
        (it) => (it.body === undefined ? undefined : request(it, "", "[]", { token: stage().token })),
        -104000,
        400,
      ],
      [
        "another type",
        (it) =>
          it.body === undefined
            ? undefined
            : request(it, "", "{}", { token: stage().token, contentType: "text/plain" }),
        -104006,
        415,
      ],
      [
        "too much",
        (it) =>
          it.body === undefined ? undefined : request(it, "", `"${"x".repeat(70_000)}"`, { token: stage().token }),
        -104007,
        413,
      ],
    ]
    let count = 0
    for (const [what, of, errno, status] of kinds) {
      const shots = routes
        .filter(({ name }) => isAskedHere(name) || what !== "right")
        .flatMap((it): ReadonlyArray<Shot> => {
          const bytes = of(it)
          return bytes === undefined ? [] : [{ route: it, what, bytes }]
        })
      count += shots.length
      const answers = await ask(stage().port, shots)
      expect(
        wrong(answers, (answer) => answer.status === status && answer.errno === errno && !LEAK.test(answer.body)),
      ).toEqual([])
    }
    expect(count).toBeGreaterThanOrEqual(200)
  })

  it("of a venue says nothing of the library that speaks to it", async () => {
    const body = { venue: "BINANCE_UAT", apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }
    const away = await stage().admin.createCredential(body)
    expect([away.status, away.envelope.errno]).toEqual([503, -130001])
    expect(away.text).not.toMatch(LEAK)
    expect(away.text).not.toContain("binance.vision")
  })

  it("leaves no defect in the log, and the stage().gateway as it was", async () => {
    expect(
      stage()
        .gateway.stderr()
        .match(/^.*(defect|"level":"error"|uncaught|unhandled).*$/gim) ?? [],
    ).toEqual([])
    expect((await api(stage().gateway).as(stage().unused).user()).status).toBe(200)
  })
})
