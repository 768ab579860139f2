/** For operators: whether the gateway is well and where it is not, how each venue does, the trading mode, users, tenants, and the audit. */
import { useLayoutEffect, useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { age } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { now } from "../live.ts"
import { modeMeaning } from "../meanings.ts"
import { Audit } from "../operator/audit.tsx"
import { TenantNetworks, Tenants } from "../operator/tenancy.tsx"
import { type AdminUser, Users } from "../operator/users.tsx"
import { AsOf } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Empty, Fault, Field, Form, Hint, Panel, Table } from "../parts/ui.tsx"
import { canChange, gateway } from "../session.ts"

type Mode = components["schemas"]["TradingMode"]

const READ_EVERY_MS = 3_000

const toneOf = (status: string): string =>
  ({ healthy: "live", up: "live", idle: "calm", degraded: "doubt", starting: "doubt", waiting: "doubt" })[status] ??
  "bad"

const MODES: ReadonlyArray<Mode> = ["online", "post_only", "cancel_only", "maintenance"]

const ModeDialog = ({ current, onClose }: { readonly current: Mode; readonly onClose: () => void }) => {
  const [mode, setMode] = useState<Mode>(current === "online" ? "cancel_only" : "online")
  const [typed, setTyped] = useState("")
  const [reason, setReason] = useState("")
  const change = async (): Promise<void> => {
    if (typed !== mode) throw new Error(`Type ${mode} to change it.`)
    if (reason.trim() === "") throw new Error("Say why: it stands in the audit.")
    await proven(() => gateway.post("admin/tradingMode", { tradingMode: mode, reason }))
    onClose()
  }
  return (
    <Dialog title="Trading mode" onClose={onClose}>
      <Form onSend={change} button={`Change to ${mode}`} danger={true}>
        <Field label="Mode">
          <select value={mode} onChange={(event) => setMode(event.currentTarget.value as Mode)}>
            {MODES.map((it) => (
              <option key={it} disabled={it === current}>
                {it}
              </option>
            ))}
          </select>
        </Field>
        <p>{modeMeaning(mode)} It holds for the whole installation, at once.</p>
        <Field label="Reason">
          <input autofocus required value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
        <Field label={`Type ${mode}`}>
          <input
            required
            autocomplete="off"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value.trim())}
          />
        </Field>
      </Form>
    </Dialog>
  )
}

const Health = () => {
  const [isChanging, setChanging] = useState(false)
  const health = useLoaded("health", () => gateway.get("health"), READ_EVERY_MS)
  useLayoutEffect(() => listenFor("health", { h: () => setChanging(canChange()) }), [])
  const record = health.value
  const mode = record?.tradingMode
  const checks = Object.entries(record?.checks ?? {})
  return (
    <Panel
      title="Health"
      aside={
        record !== null && (
          <>
            <AsOf of={health} everyMs={READ_EVERY_MS} />
            {mode === undefined ? (
              <span class="dim">the node that owns the database tells the trading mode</span>
            ) : (
              <>
                <span class={`badge ${mode === "online" ? "live" : "bad"}`} data-mode={mode}>
                  {mode}
                </span>
                <button type="button" class="danger" disabled={!canChange()} onClick={() => setChanging(true)}>
                  {mode === "online" ? "Halt trading…" : "Change the mode…"} <kbd>h</kbd>
                </button>
              </>
            )}
          </>
        )
      }
    >
      <Fault of={health} />
      {record !== null && (
        <dl class="facts">
          <dt>As a whole</dt>
          <dd>
            <span class={`badge ${toneOf(record.status)}`}>{record.status}</span>{" "}
            <span class="dim num">
              {age(now.value - record.timestamp)} ago · {record.version}
            </span>
          </dd>
          {checks
            .filter(([, { status }]) => status !== "healthy")
            .map(([name, check]) => (
              <>
                <dt key={`${name} name`}>{name}</dt>
                <dd key={name}>
                  <span class={`badge ${toneOf(check.status)}`}>{check.status}</span> {check.reason}
                </dd>
              </>
            ))}
          <dt>Healthy</dt>
          <dd>
            {checks
              .filter(([, { status }]) => status === "healthy")
              .map(([name]) => name)
              .join(", ") || "none"}
          </dd>
        </dl>
      )}
      {isChanging && mode !== undefined && (
        <ModeDialog
          current={mode}
          onClose={() => {
            setChanging(false)
            health.again()
          }}
        />
      )}
    </Panel>
  )
}

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "–"

const Venues = () => {
  const status = useLoaded("status", () => gateway.get("admin/status"), READ_EVERY_MS)
  const record = status.value
  // What is at work first, the busiest of it on top; the others are named.
  const atWork = (record?.connectors ?? [])
    .filter(({ state }) => state !== "idle")
    .sort((a, b) => b.callsInFlight - a.callsInFlight || (b.budgetUsed ?? 0) - (a.budgetUsed ?? 0))
  const idle = (record?.connectors ?? []).filter(({ state }) => state === "idle")
  return (
    <Panel
      title="Venues"
      aside={
        record !== null && (
          <>
            <AsOf of={status} everyMs={READ_EVERY_MS} />
            <Hint lines={["The longest delay of the main thread's event loop within the last 10 to 20 s."]}>
              <small class="dim num">loop {record.loopDelayMs} ms</small>
            </Hint>
          </>
        )
      }
    >
      <Fault of={status} />
      {record !== null && (
        <>
          {atWork.length === 0 ? (
            <Empty>No connector has been asked for anything yet.</Empty>
          ) : (
            <Table
              label="Connectors"
              heads={
                <>
                  <th>Connector</th>
                  <th>State</th>
                  <th class="right">In flight</th>
                  <th class="right">Budget</th>
                  <th>Waiting</th>
                  <th>Answers</th>
                  <th class="right">Streams</th>
                  <th class="right">Sessions</th>
                  <th class="right">Gaps</th>
                  <th class="right">Cuts</th>
                  <th class="right">Restarts</th>
                </>
              }
            >
              {atWork.map((it) => (
                <tr key={it.connector}>
                  <td>
                    {it.connector} <small class="dim">{it.thread}</small>
                  </td>
                  <td>
                    <span class={`badge ${toneOf(it.state)}`}>{it.state}</span>
                    {it.budgetPausedMs > 0 && (
                      <small class="flag"> asked to pause, {age(it.budgetPausedMs)} left</small>
                    )}
                  </td>
                  <td class="right num">{it.callsInFlight}</td>
                  <td class={`right num ${(it.budgetUsed ?? 0) > 0.8 ? "flag" : ""}`}>
                    {it.budgetUsed === null ? "–" : `${Math.round(it.budgetUsed * 100)} %`}
                  </td>
                  <td class="num">{counts(it.waiting)}</td>
                  <td class="num">{counts(it.answers)}</td>
                  <td class="right num">{it.streams}</td>
                  <td class="right num">{it.sessions}</td>
                  <td class="right num">{it.gaps}</td>
                  <td class="right num">{it.losses}</td>
                  <td class="right num">{it.restarts}</td>
                </tr>
              ))}
            </Table>
          )}
          <dl class="facts">
            {idle.length > 0 && (
              <>
                <dt>Idle</dt>
                <dd>{idle.map(({ connector }) => connector).join(", ")}</dd>
              </>
            )}
            <dt>Accounts</dt>
            <dd class="num">{counts(record.actors.accounts)}</dd>
            <dt>Dealers</dt>
            <dd class="num">{counts(record.actors.dealers)}</dd>
            {record.threads.map((it) => (
              <>
                <dt key={`${it.thread} name`}>Thread {it.thread}</dt>
                <dd key={it.thread} class="num">
                  <span class={`badge ${toneOf(it.state)}`}>{it.state}</span> loop {it.loopDelayMs} ms, busy{" "}
                  {Math.round(it.busy * 100)} %, heap {Math.round(it.heapUsedBytes / 1_048_576)} of{" "}
                  {Math.round(it.heapMaxBytes / 1_048_576)} MB, {it.deaths} deaths
                </dd>
              </>
            ))}
          </dl>
        </>
      )}
    </Panel>
  )
}

export const OperatorScreen = () => {
  const users = useLoaded("users", async () => {
    const all: Array<AdminUser> = []
    for await (const user of gateway.pages("admin/user/list", { limit: 1_000 })) all.push(user)
    return all
  })
  const tenants = useLoaded("tenants", () => gateway.get("admin/tenant/list"))
  const nameOf = (id: string): string | undefined => users.value?.find((it) => it.id === id)?.email
  return (
    <div class="column">
      <div class="side-by-side narrow-first">
        <Health />
        <Venues />
      </div>
      <Users found={users} tenants={tenants.value ?? []} />
      <div class="side-by-side">
        <TenantNetworks />
        <Tenants found={tenants} />
      </div>
      <Audit nameOf={nameOf} />
    </div>
  )
}
