/**
 * Loaded into every thread of the soaked process before its own code: answers on a broadcast channel how the thread is after a garbage
 * collection, and how much the ccxt instances in it keep. Instances are known because their base class is wrapped here.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { getHeapStatistics } from "node:v8"
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads"
import { type Caches, PULSE_CHANNEL, type PulseAnswer, type ThreadSample } from "./thread-sample.ts"

type Kept = Readonly<Record<string, unknown>>

const instances = new Set<WeakRef<object>>()

const record = (value: unknown): Kept => (typeof value === "object" && value !== null ? (value as Kept) : {})
const keys = (value: unknown): number => Object.keys(record(value)).length
const sizes = (value: unknown): number =>
  Object.values(record(value)).reduce<number>((sum, each) => sum + (Array.isArray(each) ? each.length : 0), 0)

const alive = (): ReadonlyArray<Kept> => {
  const found: Array<Kept> = []
  for (const ref of instances) {
    const instance = ref.deref()
    if (instance === undefined) instances.delete(ref)
    else found.push(instance as Kept)
  }
  return found
}

const cachesOf = (exchanges: ReadonlyArray<Kept>): Caches => {
  const sum = (of: (exchange: Kept) => number): number => exchanges.reduce((total, each) => total + of(each), 0)
  const inBooks = (of: (book: Kept) => number) => (exchange: Kept) =>
    Object.values(record(exchange["orderbooks"])).reduce<number>((total, book) => total + of(record(book)), 0)
  const inSockets = (of: (socket: Kept) => number) => (exchange: Kept) =>
    Object.values(record(exchange["clients"])).reduce<number>((total, socket) => total + of(record(socket)), 0)
  const bars = (exchange: Kept): number =>
    Object.values(record(exchange["ohlcvs"])).reduce<number>((total, ofSymbol) => total + sizes(ofSymbol), 0)
  return {
    instances: exchanges.length,
    orderbooks: sum((exchange) => keys(exchange["orderbooks"])),
    levels: sum(inBooks((book) => sizes({ bids: book["bids"], asks: book["asks"] }))),
    cachedFrames: sum(inBooks((book) => sizes({ cache: book["cache"] }))),
    trades: sum((exchange) => keys(exchange["trades"])),
    tradeRows: sum((exchange) => sizes(exchange["trades"])),
    tickers: sum((exchange) => keys(exchange["tickers"])),
    ohlcvs: sum((exchange) => keys(exchange["ohlcvs"])),
    bars: sum(bars),
    sockets: sum((exchange) => keys(exchange["clients"])),
    subscriptions: sum(inSockets((socket) => keys(socket["subscriptions"]))),
    futures: sum(inSockets((socket) => keys(socket["futures"]))),
  }
}

const sample = (): ThreadSample => {
  globalThis.gc?.()
  const heap = getHeapStatistics()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  return {
    thread: threadId,
    heapUsedBytes: heap.used_heap_size,
    externalBytes: heap.external_memory,
    resources,
    caches: cachesOf(alive()),
  }
}

/** In place, before any exchange is built. ccxt's `exports` map allows only ".": the file is found from the package root. */
const watchInstances = async (): Promise<void> => {
  const root = dirname(dirname(createRequire(import.meta.url).resolve("ccxt")))
  const { BaseExchange } = await import(pathToFileURL(join(root, "js", "src", "base", "Exchange.js")).href)
  const built = BaseExchange.prototype.afterConstruct
  BaseExchange.prototype.afterConstruct = function (this: object, ...given: ReadonlyArray<unknown>) {
    instances.add(new WeakRef(this))
    return built.apply(this, given)
  }
}

if (!isMainThread) await watchInstances()
const channel = new BroadcastChannel(PULSE_CHANNEL)
channel.unref()
channel.onmessage = (event: unknown) => {
  const { ask } = record(record(event)["data"])
  if (typeof ask === "number") channel.postMessage({ answer: ask, sample: sample() } satisfies PulseAnswer)
}
