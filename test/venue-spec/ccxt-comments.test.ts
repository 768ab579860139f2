/**
 * Breadth: every payload that ccxt's own source shows of a ticker, trade, order or candle, of all exchanges, through the connectors'
 * normalisers. Each gives a record as the contract has it, or is refused for something that it lacks; nothing else may come out.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { PROFILES } from "../../src/venues/adapters/registry.ts"
import { unproven } from "../kit/worlds/unproven-venue.ts"
import { loadClass, PARSERS, readSamples, type Sample } from "./ccxt-comments.ts"
import { KINDS, type Kind, type Outcome, SampleReader } from "./ccxt-comments-judge.ts"

interface Judged {
  readonly sample: Sample
  readonly kind: Kind
  readonly outcome: Outcome
}

/** What comes out wrong and why it stays so; whoever mends one takes it off the list. */
const ACCEPTED: Readonly<Record<string, string>> = {
  "bitso trade: 0.00020020 became 0.0002002": "ccxt takes the sign off by arithmetic, which drops zeros at the end",
  "btcturk trade: 0.27917100 became 0.279171": "the same",
  "btcturk trade: 0.00020000 became 0.0002": "the same",
  "coinbase trade: 10.10 became 10.1":
    "the price of a purchase in the wallet's API, which no connector reads, is a quotient",
}

/** Samples that ccxt's own parser throws at: the question fails, and the connector lives. */
const THROWN: Readonly<Record<string, string>> = {
  "digifinex trade": "a perpetual's trade has no side on the spot market that it is read on",
  "digifinex fill": "a perpetual's trade has no side on the spot market that it is read on",
  "luno order": "a schema in place of an order: its numbers say `string`",
}

const profileOf = (exchange: string) =>
  PROFILES.find((profile) => profile.exchange === exchange) ?? unproven(exchange.toUpperCase(), exchange)

const judgeAll = async (samples: ReadonlyArray<Sample>): Promise<ReadonlyArray<Judged>> => {
  const judged: Array<Judged> = []
  for (const exchange of new Set(samples.map((sample) => sample.exchange))) {
    const reader = new SampleReader(await loadClass(exchange), profileOf(exchange))
    for (const sample of samples.filter((it) => it.exchange === exchange))
      for (const kind of KINDS[sample.parser]) judged.push({ sample, kind, outcome: reader.judge(kind, sample.json) })
  }
  return judged
}

describe("the payloads that ccxt's source shows", () => {
  const samples = readSamples()
  let judged: ReadonlyArray<Judged> = []
  beforeAll(async () => {
    judged = await judgeAll(samples)
  })

  const named = ({ sample, kind }: Judged): string => `${sample.exchange} ${kind}`
  const records = () => judged.flatMap((it) => (it.outcome._tag === "Record" ? [{ ...it, ...it.outcome }] : []))

  it("are as many as were counted in ccxt 4.5.84, of nearly all exchanges", () => {
    expect(samples.length).toBeGreaterThanOrEqual(699)
    expect(new Set(samples.map(({ exchange }) => exchange)).size).toBeGreaterThanOrEqual(91)
    expect(new Set(samples.map(({ parser }) => parser))).toEqual(new Set(PARSERS))
  })

  it("give records that keep the contract", () => {
    const found = records().flatMap((it) => it.faults.map((fault) => `${named(it)}: ${fault}`))
    expect(found.filter((fault) => !Object.hasOwn(ACCEPTED, fault))).toEqual([])
    expect(Object.keys(ACCEPTED).filter((fault) => !found.includes(fault))).toEqual([])
  })

  it("fail in ccxt only where it is known", () => {
    const thrown = judged.filter(({ outcome }) => outcome._tag === "Threw")
    expect(thrown.map(named)).toEqual(Object.keys(THROWN))
  })

  it("give a record of nearly every ticker, trade and candle, and of most orders", () => {
    for (const kind of ["ticker", "trade", "fill", "order", "kline"] as const) {
      const all = judged.filter((it) => it.kind === kind)
      const share = records().filter((it) => it.kind === kind).length / all.length
      // Answers to a submit, which carry the id alone, are orders to ccxt.
      expect({ kind, isMost: share > (kind === "order" ? 0.6 : 0.8) }).toEqual({ kind, isMost: true })
    }
  })
})
