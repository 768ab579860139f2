/** Names of open channels, and the table of their namespaces. */
import { describe, expect, it } from "vitest"
import { channelKinds, InvalidChannelKinds } from "../../../src/ws/channels/kinds.ts"
import { isForUser, namespaceOf, openNamespaces } from "../../../src/ws/test-profile/open-namespaces.ts"

describe("an open channel's name", () => {
  it.each([
    ["news", ""],
    ["$news", ""],
    ["ns:news", "ns"],
    ["$ns:news", "ns"],
    ["ns:a:b", "ns"],
    [":news", ""],
  ])("%s is in the namespace %j", (channel, namespace) => {
    expect(namespaceOf(channel)).toBe(namespace)
  })

  it.each([
    ["news", "42", true],
    ["news#42", "42", true],
    ["news#41,42", "42", true],
    ["news#41", "42", false],
    ["news#42#41", "42", false],
    ["news#", "", true],
    ["news#42", "", false],
  ])("%s is for the user %j: %s", (channel, user, expected) => {
    expect(isForUser(channel, user)).toBe(expected)
  })
})

describe("the table of namespaces", () => {
  it("has what the public suites ask for, and takes changes and more", () => {
    const table = openNamespaces({ "": { presence: false }, mine: { historySize: 5 } })
    expect([...table.keys()]).toEqual(
      expect.arrayContaining(["", "delta", "recovery", "smallhistory", "example", "personal", "cache", "live", "mine"]),
    )
    expect(table.get("")?.settings).toMatchObject({ presence: false, historySize: 100 })
    expect(table.get("mine")?.settings).toMatchObject({ historySize: 5, recovery: "stream" })
    expect(openNamespaces(null).get("")?.settings).toMatchObject({ presence: true })
    const maps = openNamespaces({ streamless: { tagsFilter: false } })
    expect(maps.get("streamless")).toMatchObject({ settings: { tagsFilter: false }, map: { type: 1 } })
  })

  it.each([
    [{ x: {} }],
    [{ "a b": {} }],
    [{ mine: { nonsense: 1 } }],
    [{ mine: 7 }],
    [{ mine: { behind: "conflate" } }],
  ])("refuses %j", (changes) => {
    expect(() => openNamespaces(changes)).toThrow(InvalidChannelKinds)
  })
})

it("the setting CHANNELS takes no deltas for books, whose readers begin with a SNAPSHOT that no publication follows on from", () => {
  expect(() => channelKinds(4, { orderbook: { delta: true } })).toThrow(/^orderbook\.delta: /)
  expect(channelKinds(4, { ticker: { delta: true } }).ticker.delta).toBe(true)
})
