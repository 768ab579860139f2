/** The board of numbers: what is counted is what is read, in Prometheus' words, and labels cannot grow without end. */
import { describe, expect, it } from "vitest"
import { exposition } from "../../../src/metrics/exposition.ts"
import { MeterBoard } from "../../../src/ports/meters.ts"

describe("a board of meters", () => {
  it("counts by labels, in the table's order", () => {
    const board = new MeterBoard()
    const requests = board.counter("http_requests_total")
    requests.add("/api/v3", "GET", "200")
    const series = requests.of("/api/v3", "GET", "200")
    series.value++
    expect(exposition(board.readings())).toContain('http_requests_total{route="/api/v3",method="GET",status="200"} 2\n')
  })

  it("sums buckets up, with those above every bound in the last", () => {
    const board = new MeterBoard()
    const sizes = board.histogram("ledger_batch_size").of()
    for (const size of [1, 2, 3, 100, 101]) sizes.observe(size)
    const text = exposition(board.readings())
    expect(text).toContain("# TYPE ledger_batch_size histogram\n")
    const buckets = [...text.matchAll(/ledger_batch_size_bucket\{le="([^"]+)"\} (\d+)/g)].map((one) => one.slice(1))
    expect(buckets).toEqual([
      ["1", "1"],
      ["2", "2"],
      ["5", "3"],
      ["10", "3"],
      ["25", "3"],
      ["50", "3"],
      ["100", "4"],
      ["+Inf", "5"],
    ])
    expect(text).toContain("ledger_batch_size_sum 207\nledger_batch_size_count 5\n")
  })

  it("shows a counter without labels from the start, and one with labels from its first event", () => {
    const board = new MeterBoard()
    board.counter("auth_refresh_reuse_total")
    board.counter("rate_limited_total")
    const text = exposition(board.readings())
    expect(text).toContain("\nauth_refresh_reuse_total 0\n")
    expect(text).not.toContain("rate_limited_total{")
  })

  it("reads what a part counts itself, at each look", () => {
    const board = new MeterBoard()
    let open = 1
    board.read("ws_connections", () => open)
    board.read("actor_restarts_total", () => [{ labels: { type: "account" }, value: 3 }])
    board.read("actor_restarts_total", () => [{ labels: { type: "dealer" }, value: 4 }])
    open = 7
    const text = exposition(board.readings())
    expect(text).toContain("\nws_connections 7\n")
    expect(text).toContain('actor_restarts_total{type="account"} 3\nactor_restarts_total{type="dealer"} 4\n')
    expect(text.match(/# TYPE actor_restarts_total/g)).toHaveLength(1)
  })

  it("counts an explosion of labels together", () => {
    const board = new MeterBoard()
    const rejected = board.counter("http_rejected_total")
    for (let n = 0; n < 100_000; n++) rejected.add(`reason ${n}`)
    const samples = rejected.samples()
    expect(samples).toHaveLength(501)
    expect(samples.at(-1)).toEqual({ labels: { reason: "other" }, value: 99_500 })
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(100_000)
  })

  it("writes labels so that no text can pass for another line", () => {
    const board = new MeterBoard()
    board.read("venue_up", () => [{ labels: { venue: 'A"} 1\nup{x="\\' }, value: 1 }])
    expect(exposition(board.readings())).toContain('venue_up{venue="A\\"} 1\\nup{x=\\"\\\\"} 1\n')
  })
})
