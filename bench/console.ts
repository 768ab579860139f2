/**
 * `console`: the console's wall in a real Chromium, 50 books that change 20 times a second each (targets: frame p99 of 20 ms, script of 25 % of a
 * core, a heap that does not grow over ten minutes, first paint within 300 ms, 90 kB of shell and 220 kB in all). The floor is an empty page
 * of the same browser on the same machine.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser, CDPSession, Page } from "playwright-core"
import type { Routes } from "../test/exchanges/route-ccxt.ts"
import { launchChromium } from "../test/kit/browser/chromium.ts"
import { startChild } from "./kit/child.ts"
import { endGateways, type Gateway, PASSWORD, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { workOf } from "./kit/page-work.ts"
import { median, percentiles, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf } from "./kit/usage.ts"
import type { ConsoleVenue } from "./processes/console-venue.ts"

const BOOKS = 50
const EVERY_MILLIS = 50
const TRACED_MILLIS = 10_000
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? 10)
const PAINTS = 5
const EMAIL = "wall@example.com"
const SIZE = { width: 1920, height: 1000 }
/** A gateway loads 50 books, and a machine may be slow. */
const OPEN_MILLIS_MAX = 180_000

// What runs in the page is text here: the benches know no names of browsers.
const FRAMES = `
globalThis.frames_ = []
let last_ = performance.now()
const frame_ = (now) => {
  frames_.push(now - last_)
  last_ = now
  requestAnimationFrame(frame_)
}
requestAnimationFrame(frame_)
`
const TAKE = "frames_.splice(0)"
const LIVE = `document.querySelectorAll(".tile:not(.stale)").length`
const RATE = `parseInt(document.querySelector("#rate").textContent)`

interface Spent {
  readonly at: number
  readonly script: number
  readonly layout: number
  readonly style: number
  readonly task: number
}

const spentOf = async (devtools: CDPSession): Promise<Spent> => {
  const { metrics } = await devtools.send("Performance.getMetrics")
  const of = (name: string): number => metrics.find((it) => it.name === name)?.value ?? Number.NaN
  return {
    at: of("Timestamp"),
    script: of("ScriptDuration"),
    layout: of("LayoutDuration"),
    style: of("RecalcStyleDuration"),
    task: of("TaskDuration"),
  }
}

/** Shares of a core between two looks. */
const shares = (from: Spent, to: Spent) => {
  const share = (name: Exclude<keyof Spent, "at">): number => (to[name] - from[name]) / (to.at - from.at)
  return { script: share("script"), layout: share("layout"), style: share("style"), task: share("task") }
}

const heapOf = async (devtools: CDPSession): Promise<number> => {
  await devtools.send("HeapProfiler.collectGarbage")
  return (await devtools.send("Runtime.getHeapUsage")).usedSize
}

const devtoolsOf = async (page: Page): Promise<CDPSession> => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Performance.enable")
  return devtools
}

/** Frames of a page that does nothing. */
const floorOf = async (browser: Browser) => {
  const page = await browser.newPage({ viewport: SIZE })
  await page.evaluate(FRAMES)
  await sleep(10_000)
  const frames = percentiles(await page.evaluate<Array<number>>(TAKE))
  await page.close()
  return frames
}

/** ms from the start of the navigation, with nothing in the browser's cache. */
const firstPaint = async (browser: Browser, gateway: Gateway): Promise<number> => {
  const page = await browser.newPage({ viewport: SIZE })
  await page.goto(`${gateway.http}/console`)
  await page.waitForSelector("form")
  const paints = `performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime)`
  let [at] = await page.evaluate<Array<number>>(paints)
  for (let tries = 0; at === undefined && tries < 100; tries++) {
    await sleep(20)
    ;[at] = await page.evaluate<Array<number>>(paints)
  }
  await page.context().close()
  return at ?? Number.NaN
}

/** gzip: of what the sign-in asks for, and of everything but the licences' text. */
const bytes = async (gateway: Gateway) => {
  const folder = fileURLToPath(new URL("../console/", import.meta.url))
  const html = await (await fetch(`${gateway.http}/console`)).text()
  const sizeOf = (name: string): number => statSync(join(folder, `${name}.gz`)).size
  const names = readdirSync(folder).flatMap((name) => (/\.(js|css|html|svg)$/.test(name) ? [name] : []))
  const sum = (of: ReadonlyArray<string>): number => of.reduce((total, name) => total + sizeOf(name), 0)
  return {
    shell: sum(names.filter((name) => name === "index.html" || html.includes(`/console/${name}"`))),
    all: sum(names),
  }
}

const openWall = async (
  browser: Browser,
  gateway: Gateway,
  userId: string,
  instrumentIds: ReadonlyArray<string>,
): Promise<Page> => {
  const page = await browser.newPage({ viewport: SIZE })
  await page.goto(`${gateway.http}/console`)
  await page.evaluate(
    `localStorage.setItem("console.wall.${userId}", ${JSON.stringify(JSON.stringify(instrumentIds))})`,
  )
  await page.goto(`${gateway.http}/console#/books`)
  await page.reload()
  await page.getByLabel("E-mail").fill(EMAIL)
  await page.getByLabel("Password").fill(PASSWORD)
  await page.locator("form button[type=submit]").click()
  await page.waitForSelector(".tile")
  const from = performance.now()
  while ((await page.evaluate<number>(LIVE)) < instrumentIds.length) {
    if (performance.now() - from > OPEN_MILLIS_MAX)
      throw new Error(
        `${await page.evaluate<number>(LIVE)} of ${instrumentIds.length} books are live\n${gateway.stderr()}`,
      )
    await sleep(200)
  }
  return page
}

let browser: Browser | undefined

const bench = async (): Promise<Result> => {
  const venue = await startChild("console-venue")
  const { routes, instrumentIds } = await venue.ask<{
    readonly routes: Routes
    readonly instrumentIds: ReadonlyArray<string>
  }>("start", { books: BOOKS, everyMillis: EVERY_MILLIS } satisfies ConsoleVenue)
  const gateway = await startGateway({ DATA_DIR: scratch("console"), VENUE_ROUTES: JSON.stringify(routes) })
  const { call } = await signUp(gateway, undefined, EMAIL)
  await call("/market/instrument/sync", { venue: "OKX" })
  browser = await launchChromium()
  const size = await bytes(gateway)
  const floor = await floorOf(browser)
  const paints: Array<number> = []
  for (let n = 0; n < PAINTS; n++) paints.push(await firstPaint(browser, gateway))

  const page = await openWall(browser, gateway, (await call<{ readonly id: string }>("/auth/user")).id, instrumentIds)
  const devtools = await devtoolsOf(page)
  // The page has its code compiled and its books whole.
  await sleep(20_000)
  await page.evaluate(FRAMES)
  say(row("minute", "frame p50", "p99", "script %", "all %", "changes/s", "heap MB"))
  const frames: Array<number> = []
  const heaps: Array<number> = [await heapOf(devtools)]
  const rates: Array<number> = []
  const began = await spentOf(devtools)
  const gatewayBefore = cpuMicrosOf(gateway.pid) ?? Number.NaN
  let from = began
  for (let minute = 1; minute <= MINUTES; minute++) {
    await page.evaluate(TAKE)
    for (let second = 0; second < 60; second += 5) {
      await sleep(5_000)
      rates.push(await page.evaluate<number>(RATE))
    }
    const own = await page.evaluate<Array<number>>(TAKE)
    const to = await spentOf(devtools)
    // After the frames: to collect garbage takes some of its own.
    const heap = await heapOf(devtools)
    frames.push(...own)
    heaps.push(heap)
    const { p50, p99 } = percentiles(own)
    const { script, task } = shares(from, to)
    say(row(String(minute), p50, p99, script * 100, task * 100, median(rates.slice(-12)), heap / 1e6))
    from = await spentOf(devtools)
  }
  const share = shares(began, await spentOf(devtools))
  const gatewayShare = ((cpuMicrosOf(gateway.pid) ?? Number.NaN) - gatewayBefore) / 1e6 / (MINUTES * 60)
  const live = await page.evaluate<number>(LIVE)
  const work = await workOf(browser, page, TRACED_MILLIS)
  await page.close()
  const frame = percentiles(frames)
  const [firstHeap = Number.NaN, lastHeap = Number.NaN] = [heaps[Math.min(1, heaps.length - 1)], heaps.at(-1)]
  const firstPaintMillis = median(paints)
  say(
    `frame p50 ${frame.p50.toFixed(1)} ms, p99 ${frame.p99.toFixed(1)} ms (an empty page: ${floor.p99.toFixed(1)}); target p99 20 ms`,
  )
  say(
    `script ${(share.script * 100).toFixed(1)} % of a core, target 25 %; the page in all ${(share.task * 100).toFixed(1)} %`,
  )
  say(`heap ${(firstHeap / 1e6).toFixed(2)} MB after one minute, ${(lastHeap / 1e6).toFixed(2)} MB after ${MINUTES}`)
  say(
    `first paint ${firstPaintMillis.toFixed(0)} ms, target 300; gzip ${size.shell} of 90000 bytes of shell, ${size.all} of 220000 in all`,
  )
  say(row("of a frame", ...Object.keys(work.perFrame), "styled", "dirty", "laid out"))
  const steps = Object.values(work.perFrame)
  say(row("times", ...steps.map(({ times }) => times), work.styled, work.dirty, work.laidOut))
  say(row("ms", ...steps.map(({ ms }) => ms)))
  const changesPerSecond = median(rates)
  say(`${live} of ${BOOKS} books live at the end, ${changesPerSecond} changes a second`)
  const { p50, p99, p999 } = frame
  return {
    bench: "console",
    conditions: {
      books: BOOKS,
      changesPerSecondEach: 1000 / EVERY_MILLIS,
      minutes: MINUTES,
      window: SIZE,
      browser: browser.version(),
      frames: "ms between animation frames, headless, 60 a second",
      ratio: "frame p99 / 20 ms",
    },
    figures: {
      p50,
      p99,
      p999,
      perSecond: changesPerSecond,
      live,
      share,
      gatewayShare,
      work,
      heapBytes: heaps,
      heapGrowth: lastHeap / firstHeap,
      firstPaintMillis: paints,
      gzipBytes: size,
    },
    floor: { p50: floor.p50, p99: floor.p99, p999: floor.p999 },
    ratio: p99 / 20,
  }
}

await runBench(bench, async () => {
  await browser?.close()
  await endGateways()
})
