/** The page at /docs/realtime: its tables and programs are the code's own, and its HTML closes what it opens. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ACCOUNT_EVENT_RECORDS, ALERTS } from "../../../src/domain/account/event.ts"
import { CHANNEL_CATALOG } from "../../../src/ws/channels/catalog.ts"
import { channelKinds } from "../../../src/ws/channels/kinds.ts"
import { realtimePage } from "../../../src/ws/docs/realtime-page.ts"
import { CLOSES, ERRORS, UNSUBSCRIBES } from "../../../src/ws/protocol/error-codes.ts"

const kinds = channelKinds(10)
const rpcMethods = ["market.orderbook.get", "tradeOrder.submit"]
const { html } = realtimePage({ version: "3.0.1", kinds, rpcMethods }, { html: "", style: "" })

const folder = new URL("../../../docs/examples/realtime/", import.meta.url)
/** As a reader sees it, and copies it. */
const seen = (source: string): string =>
  source
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
  [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/g)].map(([, cell = ""]) => seen(cell)),
)

describe("the page of the real-time endpoint", () => {
  it("closes what it opens, and says nothing of undefined", () => {
    const open: Array<string> = []
    for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (["meta", "link"].includes(name)) continue
      if (slash === "") open.push(name)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
    expect(seen(html.replaceAll(/<pre>[\s\S]*?<\/pre>/g, ""))).not.toMatch(/undefined|\[object|NaN|null\b(?! where)/)
  })

  it.each(readdirSync(folder))("shows %s letter for letter", (name) => {
    const figure = new RegExp(`<figcaption>${name}</figcaption><pre><code>([\\s\\S]*?)</code></pre>`).exec(html)
    expect(seen(figure?.[1] ?? "")).toBe(readFileSync(new URL(name, folder), "utf8").trimEnd())
  })

  it("has a row for every code", () => {
    for (const { code, message } of Object.values(ERRORS))
      expect(rows).toContainEqual([`${code}`, message, expect.stringMatching(/\w/)])
    for (const [code, reason] of Object.values(CLOSES)) {
      const isTemporary = code >= 3000 && code < 3500
      expect(rows).toContainEqual([`${code}`, reason, isTemporary ? "reconnects automatically" : "does not reconnect"])
    }
    for (const { code, reason } of Object.values(UNSUBSCRIBES))
      expect(rows).toContainEqual([
        `${code}`,
        reason,
        code < 2500 ? "does not resubscribe" : "resubscribes automatically",
      ])
  })

  it("has a row for every kind of channel and of account event, and every call", () => {
    for (const kind of Object.keys(kinds)) expect(html).toContain(`id="channel-${kind}"`)
    for (const kind of Object.keys(ACCOUNT_EVENT_RECORDS)) expect(rows.map(([name]) => name)).toContain(kind)
    for (const method of rpcMethods) expect(html).toContain(`<code>${method}</code>`)
  })

  it("tells what an operator changed", () => {
    const changed = channelKinds(10, { trade: { historySize: 7, historyTtlSeconds: 180, delta: false } })
    const other = seen(realtimePage({ version: "3.0.1", kinds: changed, rpcMethods }, { html: "", style: "" }).html)
    expect(other).toContain("7 publications, 3 minutes")
    expect(seen(html)).not.toContain("7 publications, 3 minutes")
  })
})

describe("the guide to market data", () => {
  const page = readFileSync(new URL("../../../docs/guide/market-data.md", import.meta.url), "utf8")
  const told = [...page.matchAll(/^\| ([A-Z_.]+) +\| (.*?) +\|$/gm)].map(([, name, when]) => [name, when])

  it("explains every kind of event once, and every alert, in the words of the reference", () => {
    const events = CHANNEL_CATALOG.tradingAccount.messages.map(({ name, summary }) => [name, summary])
    expect(events.map(([name]) => name)).toEqual(Object.keys(ACCOUNT_EVENT_RECORDS))
    expect(told).toEqual([...events, ...Object.entries(ALERTS)])
    for (const [name = "", when = ""] of told) {
      expect(when).not.toBe(name)
      expect(rows).toContainEqual([name, when.replaceAll("`", "")])
    }
  })
})
