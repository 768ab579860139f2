/** The user's own: API keys, which bots speak by, keys of exchanges, the second factor, and where the user is signed in. What is secret is shown once. */
import { useLayoutEffect, useState } from "preact/hooks"
import { bothClocks } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { Credentials } from "../keys/credentials.tsx"
import { SecondFactor } from "../keys/second-factor.tsx"
import { accounts, now } from "../live.ts"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Empty, Fault, Field, Form, Panel, Table } from "../parts/ui.tsx"
import { canChange, gateway, may, session } from "../session.ts"

const SCOPES = ["read", "trade", "admin"] as const
const DAY_MS = 86_400_000

const NewKey = ({ onMade, onClose }: { readonly onMade: (key: string) => void; readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [scopes, setScopes] = useState<ReadonlyArray<string>>(["read"])
  const [account, setAccount] = useState("")
  const [networks, setNetworks] = useState("")
  const [days, setDays] = useState("90")
  const make = async (): Promise<void> => {
    const ipAllow = networks.split(/[\s,]+/).filter((it) => it !== "")
    const made = await proven(() =>
      gateway.post("apiKey/create", {
        name,
        scopes: SCOPES.filter((it) => scopes.includes(it)),
        ...(account === "" ? {} : { tradingAccountIds: [account] }),
        ...(ipAllow.length === 0 ? {} : { ipAllow }),
        ...(days === "" ? {} : { expiresAt: Date.now() + Number(days) * DAY_MS }),
      }),
    )
    onMade(made.apiKey)
  }
  return (
    <Dialog title="New API key" onClose={onClose}>
      <Form onSend={make} button="Make the key">
        <Field label="Name">
          <input autofocus required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <fieldset>
          <legend>May</legend>
          {SCOPES.filter((it) => it !== "admin" || may("admin")).map((it) => (
            <label key={it}>
              <input
                type="checkbox"
                checked={scopes.includes(it)}
                onChange={(event) =>
                  setScopes(event.currentTarget.checked ? [...scopes, it] : scopes.filter((other) => other !== it))
                }
              />{" "}
              {it}
            </label>
          ))}
        </fieldset>
        <Field label="Account">
          <select value={account} onChange={(event) => setAccount(event.currentTarget.value)}>
            <option value="">all of mine</option>
            {(accounts.value ?? []).map((it) => (
              <option key={it.tradingAccountId} value={it.tradingAccountId}>
                {it.venue} · {it.nickname || it.externalTradingAccountId}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Networks" hint="addresses or CIDRs; empty: any">
          <input value={networks} onInput={(event) => setNetworks(event.currentTarget.value)} />
        </Field>
        <Field label="Ends in days" hint="empty: never">
          <input inputMode="numeric" value={days} onInput={(event) => setDays(event.currentTarget.value.trim())} />
        </Field>
      </Form>
    </Dialog>
  )
}

const Secret = ({ apiKey, onClose }: { readonly apiKey: string; readonly onClose: () => void }) => (
  <Dialog title="The key, shown this once" onClose={onClose}>
    <p class="secret num">{apiKey}</p>
    <p class="dim">It is stored as a hash: who loses it makes another one.</p>
  </Dialog>
)

const Keys = () => {
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const keys = useLoaded("keys", () => gateway.get("apiKey/list"))
  useLayoutEffect(() => listenFor("apiKeys", { n: () => setMaking(canChange()) }), [])
  return (
    <Panel
      title="API keys"
      aside={
        <button type="button" class="primary" disabled={!canChange()} onClick={() => setMaking(true)}>
          New key <kbd>n</kbd>
        </button>
      }
    >
      <Fault of={keys} />
      {keys.value?.length === 0 && <Empty>None yet. A bot speaks by one: it needs no password.</Empty>}
      {keys.value !== null && keys.value.length > 0 && (
        <Table
          label="API keys"
          heads={
            <>
              <th>Name</th>
              <th>Key</th>
              <th>May</th>
              <th>State</th>
              <th>Ends</th>
              <th>Last used</th>
              <th>
                <span class="unseen">Revoke</span>
              </th>
            </>
          }
        >
          {keys.value.map((it) => (
            <tr key={it.apiKeyId}>
              <td>{it.name}</td>
              <td class="num">{it.prefix}…</td>
              <td>
                {it.scopes.join(", ")}
                {it.tradingAccountIds !== null && <small class="dim"> {it.tradingAccountIds.length} account</small>}
                {it.ipAllow !== null && <small class="dim"> {it.ipAllow.join(" ")}</small>}
              </td>
              <td>
                <span class={`badge ${it.status === "ACTIVE" ? "live" : ""}`}>{it.status}</span>
              </td>
              <td class="num">{it.expiresAt === null ? "never" : bothClocks(it.expiresAt).slice(0, 10)}</td>
              <td class="num" title={it.lastUsedIp ?? ""}>
                {it.lastUsedAt === null ? "never" : bothClocks(it.lastUsedAt).slice(0, 19)}
              </td>
              <td>
                {it.status === "ACTIVE" && canChange() && (
                  <Form
                    class="inline"
                    danger={true}
                    button="Revoke"
                    asks="Revoke it for good?"
                    onSend={async () => {
                      await proven(() => gateway.post("apiKey/revoke", { apiKeyId: it.apiKeyId }))
                      keys.again()
                    }}
                  />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {isMaking && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setMade(key)
            keys.again()
          }}
        />
      )}
      {made !== null && <Secret apiKey={made} onClose={() => setMade(null)} />}
    </Panel>
  )
}

const SessionsPanel = () => {
  const found = useLoaded("sessions", () => gateway.get("auth/session/list"))
  return (
    <Panel title="Where you are signed in">
      <Fault of={found} />
      <Table
        label="Sessions"
        heads={
          <>
            <th>Since</th>
            <th>From</th>
            <th>Program</th>
            <th>Last renewed</th>
            <th>
              <span class="unseen">End</span>
            </th>
          </>
        }
      >
        {(found.value ?? []).map((it) => (
          <tr key={it.sessionId}>
            <td class="num">{bothClocks(it.createdAt).slice(0, 19)}</td>
            <td class="num">{it.ip ?? "–"}</td>
            <td class="wrap">{it.userAgent ?? "–"}</td>
            <td class="num">{bothClocks(it.refreshedAt).slice(0, 19)}</td>
            <td>
              {it.current ? (
                <span class="badge live">this one</span>
              ) : (
                <Form
                  class="inline"
                  danger={true}
                  button="End"
                  onSend={async () => {
                    await proven(() => gateway.post("auth/session/revoke", { sessionId: it.sessionId }))
                    found.again()
                  }}
                />
              )}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}

const Password = () => {
  const [password, setPassword] = useState("")
  const [done, setDone] = useState(false)
  const change = async (): Promise<void> => {
    await proven(() => gateway.post("auth/user/update", { password }))
    setPassword("")
    setDone(true)
  }
  return (
    <Panel title="Password">
      <Form onSend={change} button="Change it">
        <Field label="New password" hint="ends all other sessions">
          <input
            type="password"
            autocomplete="new-password"
            required
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </Field>
        {done && <p role="status">It is changed.</p>}
      </Form>
    </Panel>
  )
}

export const KeysScreen = () => (
  <div class="column">
    <p class="dim">
      {session.value?.user.email} · {session.value?.permissions.join(", ")} · tenant{" "}
      {session.value?.user.appMetadata.tenantId} · {bothClocks(now.value).slice(0, 10)}
    </p>
    <Keys />
    <Credentials />
    <SessionsPanel />
    <div class="side-by-side">
      <SecondFactor />
      <Password />
    </div>
  </div>
)
