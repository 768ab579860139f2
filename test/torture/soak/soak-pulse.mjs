/**
 * Loaded into every thread of the soaked process before its own code: answers on a broadcast channel how the thread is after a garbage
 * collection, and how much the ccxt instances in it keep. Instances are known because their base class is wrapped here. JavaScript, for
 * it comes before whatever compiles TypeScript; the shapes are those of `thread-sample.ts`.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { getHeapStatistics } from "node:v8"
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads"

const instances = new Set()

const record = (value) => (typeof value === "object" && value !== null ? value : {})
const keys = (value) => Object.keys(record(value)).length
const total = (values, of) => values.reduce((sum, each) => sum + of(each), 0)
/** Of the lists in a record, all together. */
const sizes = (value) => total(Object.values(record(value)), (each) => (Array.isArray(each) ? each.length : 0))
const within = (exchange, name, of) => total(Object.values(record(exchange[name])), (each) => of(record(each)))

const alive = () => {
  const found = []
  for (const ref of instances) {
    const instance = ref.deref()
    if (instance === undefined) instances.delete(ref)
    else found.push(instance)
  }
  return found
}

const cachesOf = (exchanges) => {
  const sum = (of) => total(exchanges, of)
  return {
    instances: exchanges.length,
    orderbooks: sum((it) => keys(it.orderbooks)),
    levels: sum((it) => within(it, "orderbooks", ({ bids, asks }) => sizes({ bids, asks }))),
    cachedFrames: sum((it) => within(it, "orderbooks", ({ cache }) => sizes({ cache }))),
    trades: sum((it) => keys(it.trades)),
    tradeRows: sum((it) => sizes(it.trades)),
    tickers: sum((it) => keys(it.tickers)),
    ohlcvs: sum((it) => keys(it.ohlcvs)),
    bars: sum((it) => within(it, "ohlcvs", sizes)),
    sockets: sum((it) => keys(it.clients)),
    subscriptions: sum((it) => within(it, "clients", ({ subscriptions }) => keys(subscriptions))),
    futures: sum((it) => within(it, "clients", ({ futures }) => keys(futures))),
  }
}

const sample = () => {
  globalThis.gc?.()
  const heap = getHeapStatistics()
  const resources = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  return {
    thread: threadId,
    heapUsedBytes: heap.used_heap_size,
    externalBytes: heap.external_memory,
    resources,
    caches: cachesOf(alive()),
  }
}

if (!isMainThread) {
  // ccxt's `exports` map allows only ".": the file is found from the package root.
  const root = dirname(dirname(createRequire(import.meta.url).resolve("ccxt")))
  const { BaseExchange } = await import(pathToFileURL(join(root, "js", "src", "base", "Exchange.js")).href)
  const built = BaseExchange.prototype.afterConstruct
  BaseExchange.prototype.afterConstruct = function (...given) {
    instances.add(new WeakRef(this))
    return built.apply(this, given)
  }
}

const channel = new BroadcastChannel("soak")
channel.unref()
channel.onmessage = ({ data }) => {
  if (typeof data.ask === "number") channel.postMessage({ answer: data.ask, sample: sample() })
}
