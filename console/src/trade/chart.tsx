/**
 * Candles on a canvas: the closed bars as the gateway has them, and the living one as its channel tells it. The one thing to know: prices become
 * numbers here, to find a place on the screen, and nowhere else; what is told in words is the venue's own text.
 */
import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { recordOf } from "../../../clients/typescript/src/index.ts"
import { bothClocks, neededDigits, withoutZeros } from "../format.ts"
import { Panel } from "../parts/ui.tsx"
import { gateway } from "../session.ts"
import { instrumentId } from "./market.ts"

/** `[open time, open, high, low, close, volume]`. */
type Bar = readonly [at: number, open: string, high: string, low: string, close: string, volume: string]

const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const
const CHOSEN = "console.interval"
const interval = signal<string>(localStorage.getItem(CHOSEN) ?? "1m")
const LOADED = 300
const BAR_WIDTH = 8
const AXIS_WIDTH = 74
const LABEL_GAP = 6
const AXIS_HEIGHT = 20
const LINES = 5

interface Plot {
  bars: Array<Bar>
  /** The bar that the pointer is over. */
  over: number | null
  /** Its width, px, as last drawn. */
  axis: number
}

/** The newest one in its place: the living bar is told again and again. */
const take = (plot: Plot, bar: Bar): void => {
  const last = plot.bars.at(-1)
  if (last === undefined || bar[0] > last[0]) plot.bars.push(bar)
  else {
    const at = plot.bars.findIndex(([opened]) => opened === bar[0])
    if (at >= 0) plot.bars[at] = bar
  }
  if (plot.bars.length > 2 * LOADED) plot.bars.splice(0, LOADED)
}

const colours = (): ((name: string) => string) => {
  const style = getComputedStyle(document.documentElement)
  return (name) => style.getPropertyValue(`--${name}`)
}

/** A round step, so that about so many lines fit. */
const stepOf = (span: number): number => {
  const raw = span / LINES
  const power = 10 ** Math.floor(Math.log10(raw))
  return power * ([1, 2, 5, 10].find((it) => it * power >= raw) ?? 10)
}

/** The venue's digits; zeros at their end say nothing here. */
const lastPrice = ({ bars }: Plot): string => {
  const text = bars.at(-1)?.[4] ?? ""
  return withoutZeros(text, neededDigits(text))
}

/** As wide as the last price is in the font that it is written in. */
const measure = (plot: Plot, pen: CanvasRenderingContext2D): void => {
  plot.axis = Math.ceil(Math.max(AXIS_WIDTH, pen.measureText(lastPrice(plot)).width + 2 * LABEL_GAP))
}

const shownBars = (plot: Plot, width: number): ReadonlyArray<Bar> =>
  plot.bars.slice(-Math.max(1, Math.floor((width - plot.axis) / BAR_WIDTH)))

const draw = (canvas: HTMLCanvasElement, plot: Plot): void => {
  const { clientWidth: width, clientHeight: height } = canvas
  const ratio = devicePixelRatio
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio
    canvas.height = height * ratio
  }
  const pen = canvas.getContext("2d")
  if (pen === null) return
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, width, height)
  pen.font = "11px ui-monospace, Menlo, Consolas, monospace"
  measure(plot, pen)
  const bars = shownBars(plot, width)
  if (bars.length === 0) return
  const colour = colours()
  const low = Math.min(...bars.map((bar) => Number(bar[3])))
  const high = Math.max(...bars.map((bar) => Number(bar[2])))
  const margin = (high - low || high * 0.001) * 0.06
  const [bottom, top] = [low - margin, high + margin]
  const right = width - plot.axis
  const floor = height - AXIS_HEIGHT
  const y = (price: number): number => ((top - price) / (top - bottom)) * floor
  const x = (at: number): number => right - (bars.length - at) * BAR_WIDTH
  pen.textBaseline = "middle"
  pen.lineWidth = 1
  pen.strokeStyle = colour("line")
  pen.fillStyle = colour("dim")
  const step = stepOf(top - bottom)
  const places = Math.max(0, -Math.floor(Math.log10(step)))
  for (let price = Math.ceil(bottom / step) * step; price < top; price += step) {
    const at = Math.round(y(price)) + 0.5
    pen.beginPath()
    pen.moveTo(0, at)
    pen.lineTo(right, at)
    pen.stroke()
    pen.fillText(price.toFixed(places), right + LABEL_GAP, at)
  }
  const every = Math.ceil(90 / BAR_WIDTH)
  const span = (bars[1]?.[0] ?? bars[0]![0] + 60_000) - bars[0]![0]
  for (const [at, [opened]] of bars.entries()) {
    if (Math.round(opened / span) % every !== 0) continue
    const time = new Date(opened)
    const words = interval.peek() === "1d" ? time.toISOString().slice(5, 10) : time.toTimeString().slice(0, 5)
    pen.fillText(words, x(at), height - AXIS_HEIGHT / 2)
  }
  for (const [at, [, open, highest, lowest, close]] of bars.entries()) {
    const isUp = Number(close) >= Number(open)
    pen.fillStyle = pen.strokeStyle = colour(isUp ? "buy" : "sell")
    const middle = Math.round(x(at) + BAR_WIDTH / 2) + 0.5
    pen.beginPath()
    pen.moveTo(middle, y(Number(highest)))
    pen.lineTo(middle, y(Number(lowest)))
    pen.stroke()
    const [from, to] = [y(Math.max(Number(open), Number(close))), y(Math.min(Number(open), Number(close)))]
    pen.fillRect(Math.round(x(at)) + 1, from, BAR_WIDTH - 2, Math.max(1, to - from))
  }
  const last = bars.at(-1)
  if (last !== undefined) {
    const at = Math.round(y(Number(last[4]))) + 0.5
    pen.fillStyle = colour("accent")
    pen.fillRect(right, at - 8, width - right, 16)
    pen.fillStyle = colour("panel")
    pen.fillText(lastPrice(plot), right + LABEL_GAP, at)
  }
  if (plot.over !== null && bars[plot.over] !== undefined) {
    pen.strokeStyle = colour("dim")
    const at = Math.round(x(plot.over) + BAR_WIDTH / 2) + 0.5
    pen.beginPath()
    pen.moveTo(at, 0)
    pen.lineTo(at, floor)
    pen.stroke()
  }
}

export const Chart = () => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [words, setWords] = useState("")
  const id = instrumentId.value
  const length = interval.value
  useEffect(() => {
    const box = canvas.current
    if (box === null) return undefined
    const plot: Plot = { bars: [], over: null, axis: AXIS_WIDTH }
    let isOver = false
    let isDue = false
    const due = (): void => {
      if (isDue || isOver) return
      isDue = true
      requestAnimationFrame(() => {
        isDue = false
        if (!isOver) draw(box, plot)
      })
    }
    const load = (): void => {
      gateway.get("market/kline/get", { instrumentId: id, interval: length, limit: LOADED }).then(
        ({ candles }) => {
          const live = plot.bars
          plot.bars = [...(candles as unknown as ReadonlyArray<Bar>)]
          for (const bar of live) take(plot, bar)
          due()
        },
        // A venue without candles: the chart stays empty and says so.
        () => setWords("no candles"),
      )
    }
    const channel = gateway.stream.subscribe(`market:kline:${id}:${length}`)
    channel.on("publication", ({ data }) => {
      for (const bar of recordOf<{ readonly candles: ReadonlyArray<Bar> }>(data).candles) take(plot, bar)
      due()
    })
    channel.on("subscribed", ({ wasRecovering, recovered }) => {
      if (!wasRecovering || !recovered) load()
    })
    channel.subscribe()
    const move = (event: PointerEvent): void => {
      const bars = shownBars(plot, box.clientWidth)
      const at = Math.floor((event.offsetX - (box.clientWidth - plot.axis - bars.length * BAR_WIDTH)) / BAR_WIDTH)
      const bar = bars[at]
      plot.over = bar === undefined ? null : at
      setWords(
        bar === undefined ? "" : `${bothClocks(bar[0]).slice(0, 16)} O ${bar[1]} H ${bar[2]} L ${bar[3]} C ${bar[4]}`,
      )
      due()
    }
    const leave = (): void => {
      plot.over = null
      setWords("")
      due()
    }
    box.addEventListener("pointermove", move)
    box.addEventListener("pointerleave", leave)
    const sized = new ResizeObserver(due)
    sized.observe(box)
    const themed = new MutationObserver(due)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
    return () => {
      isOver = true
      sized.disconnect()
      themed.disconnect()
      box.removeEventListener("pointermove", move)
      box.removeEventListener("pointerleave", leave)
      gateway.stream.leave(channel)
    }
  }, [id, length])
  return (
    <Panel
      title="Chart"
      class="chart"
      aside={
        <>
          <small class="num dim">{words}</small>
          <select
            aria-label="Interval"
            value={length}
            onChange={(event) => {
              interval.value = event.currentTarget.value
              localStorage.setItem(CHOSEN, interval.value)
            }}
          >
            {INTERVALS.map((it) => (
              <option key={it}>{it}</option>
            ))}
          </select>
        </>
      }
    >
      <canvas ref={canvas} role="img" aria-label={`Candles of ${id}, ${length}`} />
    </Panel>
  )
}
