/** For operators: whether the gateway is well and where it is not, how each venue does, the trading mode, users, and the audit. Reads by themselves every few seconds. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { age, bothClocks } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { now } from "../live.ts"
import { modeMeaning } from "../meanings.ts"
import { AsOf } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Empty, Fault, Field, Form, Hint, Panel, Table, Time } from "../parts/ui.tsx"
import { canChange, gateway, session } from "../session.ts"

type Mode = components["schemas"]["TradingMode"]
type AdminUser = components["schemas"]["AdminUser"]

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
  return (
    <Panel
      title="Health"
      aside={
        record !== null && (
          <>
            <AsOf of={health} everyMs={READ_EVERY_MS} />
            <span class={`badge ${record.tradingMode === "online" ? "live" : "bad"}`} data-mode={record.tradingMode}>
              {record.tradingMode}
            </span>
            <button type="button" class="danger" disabled={!canChange()} onClick={() => setChanging(true)}>
              {record.tradingMode === "online" ? "Halt trading…" : "Change the mode…"} <kbd>h</kbd>
            </button>
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
          {Object.entries(record.checks).map(([name, check]) => (
            <>
              <dt key={`${name} name`}>{name}</dt>
              <dd key={name}>
                <span class={`badge ${toneOf(check.status)}`}>{check.status}</span> {check.reason}
              </dd>
            </>
          ))}
        </dl>
      )}
      {isChanging && record !== null && (
        <ModeDialog
          current={record.tradingMode}
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

const Ban = ({ user, onClose }: { readonly user: AdminUser; readonly onClose: () => void }) => {
  const [reason, setReason] = useState("")
  return (
    <Dialog title={`Ban ${user.email}`} onClose={onClose}>
      <p>All sessions and API keys end at once, open sockets included. Orders stay as they are.</p>
      <Form
        button="Ban"
        danger={true}
        onSend={async () => {
          await proven(() => gateway.post("admin/user/ban", { userId: user.id, ...(reason === "" ? {} : { reason }) }))
          onClose()
        }}
      >
        <Field label="Reason" hint="for the audit">
          <input autofocus value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
      </Form>
    </Dialog>
  )
}

const GiveAdmin = ({ user, onClose }: { readonly user: AdminUser; readonly onClose: () => void }) => (
  <Dialog title={`Give admin to ${user.email}`} onClose={onClose}>
    <p>An admin bans users, gives rights and halts trading for the whole installation.</p>
    <Form
      button={`Give admin to ${user.email}`}
      danger={true}
      onSend={async () => {
        await proven(() => gateway.post("admin/user/grant", { userId: user.id, permission: "admin" }))
        onClose()
      }}
    />
  </Dialog>
)

const USERS_SHOWN = 200

const UserRow = ({ user, again }: { readonly user: AdminUser; readonly again: () => void }) => {
  const [asks, setAsks] = useState<"ban" | "admin" | null>(null)
  const Asking = asks === null ? null : { ban: Ban, admin: GiveAdmin }[asks]
  const isSelf = user.id === session.value?.user.id
  const act = (name: "unban" | "signOut") => async (): Promise<void> => {
    await proven(() => gateway.post(`admin/user/${name}`, { userId: user.id }))
    again()
  }
  const setRight = async (permission: "write" | "admin"): Promise<void> => {
    const name = user.permissions.includes(permission) ? "revoke" : "grant"
    await proven(() => gateway.post(`admin/user/${name}`, { userId: user.id, permission }))
    again()
  }
  return (
    <tr data-user={user.email}>
      <td>{user.email}</td>
      <td>{user.permissions.join(", ") || "–"}</td>
      <td>
        {user.bannedAt === null ? (
          <span class="badge live">active</span>
        ) : (
          <Hint lines={[`Since ${user.bannedAt}.`, user.banReason ?? "No reason was given."]}>
            <span class="badge bad">banned</span>
          </Hint>
        )}
      </td>
      <td class="num">
        {user.lastSignInAt === null ? "never" : bothClocks(Date.parse(user.lastSignInAt)).slice(0, 19)}
      </td>
      <td>
        {!isSelf && canChange() && (
          <div class="acts">
            {user.bannedAt === null ? (
              <button type="button" class="quiet" onClick={() => setAsks("ban")}>
                Ban…
              </button>
            ) : (
              <Form class="inline" button="Lift the ban" onSend={act("unban")} />
            )}
            <Form class="inline" button="End sessions" onSend={act("signOut")} />
            <Form
              class="inline"
              button={user.permissions.includes("write") ? "Take write" : "Give write"}
              onSend={() => setRight("write")}
            />
            {user.permissions.includes("admin") ? (
              <Form class="inline" button="Take admin" onSend={() => setRight("admin")} />
            ) : (
              <button type="button" class="quiet" onClick={() => setAsks("admin")}>
                Give admin…
              </button>
            )}
          </div>
        )}
        {isSelf && <span class="dim">you</span>}
      </td>
      {Asking !== null && (
        <td>
          <Asking
            user={user}
            onClose={() => {
              setAsks(null)
              again()
            }}
          />
        </td>
      )}
    </tr>
  )
}

const Users = () => {
  const [text, setText] = useState("")
  const search = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => listenFor("users", { u: () => search.current?.focus() }), [])
  const found = useLoaded("users", async () => {
    const all: Array<AdminUser> = []
    for await (const user of gateway.pages("admin/user/list", { limit: 1_000 })) all.push(user)
    return all
  })
  const matching = (found.value ?? []).filter(({ email }) => email.toLowerCase().includes(text.toLowerCase()))
  const shown = matching.slice(0, USERS_SHOWN)
  return (
    <Panel
      title="Users"
      aside={
        <>
          <small class="dim num">{found.value?.length ?? 0}</small>
          <kbd>u</kbd>
        </>
      }
    >
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          // To the acts of the first one that is shown.
          document.querySelector<HTMLElement>("tr[data-user] .acts button")?.focus()
        }}
      >
        <Field label="Address" hint="Enter: to the first one's acts">
          <input
            ref={search}
            value={text}
            placeholder="part of it"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
      </form>
      <Fault of={found} />
      {matching.length > shown.length && (
        <p class="note" role="status">
          The first {shown.length} of {matching.length}: type more of the address to see the others.
        </p>
      )}
      <Table
        label="Users"
        isTall={true}
        heads={
          <>
            <th>Address</th>
            <th>May</th>
            <th>State</th>
            <th>Last sign-in</th>
            <th>
              <span class="unseen">Acts</span>
            </th>
          </>
        }
      >
        {shown.map((user) => (
          <UserRow key={user.id} user={user} again={found.again} />
        ))}
      </Table>
    </Panel>
  )
}

const Audit = () => {
  const found = useLoaded("audit", () => gateway.get("audit/list", { limit: 100 }), READ_EVERY_MS)
  return (
    <Panel
      title="Audit"
      aside={
        <>
          <AsOf of={found} everyMs={READ_EVERY_MS} />
          <small class="dim">the newest 100</small>
        </>
      }
    >
      <Fault of={found} />
      <Table
        label="Acts"
        isTall={true}
        heads={
          <>
            <th>Time</th>
            <th>Act</th>
            <th>Result</th>
            <th>By</th>
            <th>On</th>
            <th>Words</th>
          </>
        }
      >
        {(found.value ?? []).map((it) => (
          <tr key={it.actId}>
            <td>
              <Time ms={it.at} />
            </td>
            <td>{it.action}</td>
            <td class={it.result === "ok" ? "" : "fault"}>{it.result}</td>
            <td title={it.userAgent ?? ""}>
              {it.actorKind}{" "}
              <small class="dim num">
                {it.userId?.slice(0, 8)} {it.ip}
              </small>
            </td>
            <td title={it.objectId ?? ""}>
              {it.objectType} <small class="dim num">{it.objectId?.slice(0, 8)}</small>
            </td>
            <td class="wrap">
              {it.amount === null ? "" : `${it.amount} ${it.asset} `}
              {it.what}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}

export const OperatorScreen = () => (
  <div class="column">
    <div class="side-by-side narrow-first">
      <Health />
      <Venues />
    </div>
    <Users />
    <Audit />
  </div>
)
