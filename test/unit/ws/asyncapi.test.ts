/** The AsyncAPI document: complete for every kind of channel, event, command and code of the code, and true to its own schemas. */
import { describe, expect, it } from "vitest"
import { ACCOUNT_EVENT_RECORDS } from "../../../src/domain/account/event.ts"
import { parseChannel } from "../../../src/domain/channel.ts"
import { channelKinds } from "../../../src/ws/channels/kinds.ts"
import { CLOSES, ERRORS, UNSUBSCRIBES } from "../../../src/ws/protocol/error-codes.ts"
import { asyncDocument, judge } from "../../kit/rules/asyncapi.ts"

const document = asyncDocument()
const judged = judge(document)
const channels = Object.entries(document.channels)
const kinds = channelKinds(10)

const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>> | undefined)?.[key], document)

const refsIn = (node: unknown): ReadonlyArray<string> => {
  if (node === null || typeof node !== "object") return []
  return Object.entries(node).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value] : refsIn(value),
  )
}

describe("the AsyncAPI document", () => {
  it("has a channel for every kind, with the row that the gateway runs by", () => {
    const rows = Object.fromEntries(
      channels.flatMap(([, it]) => (it["x-kind"] ? [[it["x-kind"], it["x-settings"]]] : [])),
    )
    expect(rows).toEqual(kinds)
    const changed = channelKinds(10, { trade: { historySize: 7 } })
    expect(asyncDocument(changed).channels["trade"]?.["x-settings"]).toEqual(changed.trade)
    expect(asyncDocument(changed).channels["trade"]?.description).toContain("History: 7 publications")
  })

  it.each(channels.flatMap(([name, it]) => (it["x-kind"] ? [[name, it] as const] : [])))(
    "gives %s the address that the gateway understands",
    (_name, { address, parameters, "x-kind": kind }) => {
      const name = (address ?? "").replaceAll(
        /\{(\w+)\}/g,
        (_, parameter) => parameters?.[parameter]?.examples[0] ?? "",
      )
      expect(parseChannel(name)?.kind).toBe(kind)
    },
  )

  it("has the channels that are maps, alone or beside a stream", () => {
    const types = Object.fromEntries(channels.map(([name, it]) => [name, it["x-type"]]))
    expect(types).toMatchObject({
      tradingAccount: "stream",
      accountOrders: "map",
      accountPositions: "map",
      orderbook: "stream",
      orderbookMap: "map",
      venueTicker: "stream",
      venueTickerMap: "map",
    })
    expect(document.channels["orderbookMap"]?.address).toBe(document.channels["orderbook"]?.address)
  })

  it("has a message for every kind of account event", () => {
    expect(Object.keys(document.channels["tradingAccount"]?.messages ?? {})).toEqual(Object.keys(ACCOUNT_EVENT_RECORDS))
  })

  it("refers only to what is there", () => {
    const refs = refsIn(document)
    expect(refs.length).toBeGreaterThan(100)
    for (const pointer of refs) expect(at(pointer), pointer).toBeDefined()
    for (const [name, { channel, messages, reply }] of Object.entries(document.operations))
      for (const [owner, refs] of [
        [channel, messages] as const,
        ...(reply ? [[reply.channel, reply.messages] as const] : []),
      ])
        for (const { $ref } of refs) expect($ref, name).toMatch(new RegExp(`^${owner.$ref}/messages/`))
  })

  it("has examples that are exactly one message of their channel each", () => {
    let seen = 0
    for (const [name, { messages, "x-kind": kind }] of channels)
      for (const [message, { $ref }] of Object.entries(messages)) {
        const { examples = [] } = at($ref) as { readonly examples?: ReadonlyArray<{ readonly payload: unknown }> }
        if (kind !== undefined) expect(examples, message).toHaveLength(1)
        for (const { payload } of examples) {
          expect(judged.accepted(name, payload), `${message}: ${judged.faults(name, payload)}`).toEqual([message])
          seen++
        }
      }
    expect(seen).toBeGreaterThan(20)
  })

  it("lists every code of the protocol", () => {
    const { errors, closes, unsubscribes } = document["x-protocol"]
    expect(new Set(errors)).toEqual(new Set(Object.values(ERRORS)))
    expect(closes.map((it) => "code" in it && it.code).sort()).toEqual(
      Object.values(CLOSES)
        .map(([code]) => code)
        .sort(),
    )
    expect(unsubscribes.map((it) => "code" in it && it.code).sort()).toEqual(
      Object.values(UNSUBSCRIBES)
        .map(({ code }) => code)
        .sort(),
    )
  })

  it("tells commands, replies, pings and pongs apart, and refuses what is neither", () => {
    expect(judged.accepted("replies", {})).toEqual(["ping"])
    expect(judged.accepted("commands", {})).toEqual(["pong"])
    expect(judged.accepted("replies", { id: 1, subscribe: { surprise: true } })).toEqual([])
    expect(judged.accepted("replies", { push: { channel: "market:ticker:MOCK" } })).toEqual([])
    expect(judged.accepted("commands", { id: 1, subscribe: {} })).toEqual([])
  })
})
