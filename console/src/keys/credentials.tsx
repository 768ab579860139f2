/** Keys of exchanges: proven at the venue and stored encrypted, and the trading account that one opens. */
import { useLayoutEffect, useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { bothClocks } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { loadAccounts } from "../live.ts"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Empty, Fault, Field, Form, Panel, Table } from "../parts/ui.tsx"
import { gateway, may } from "../session.ts"

type Credential = components["schemas"]["Credential"]

/** One that is away when the dialog opens can be chosen when it is back. */
const VENUES_EVERY_MS = 5_000

const NewCredential = ({ onDone }: { readonly onDone: () => void }) => {
  const [venue, setVenue] = useState("")
  const [apiKey, setKey] = useState("")
  const [apiSecret, setSecret] = useState("")
  const [apiPassphrase, setPassphrase] = useState("")
  const [name, setName] = useState("")
  const venues = useLoaded(
    "venues with keys",
    async () => {
      const all = await gateway.get("market/venue/list")
      // These need none.
      return all.filter((it) => !["MOCK", "PAPER", "INTERNAL"].includes(it.venue))
    },
    VENUES_EVERY_MS,
  )
  const store = async (): Promise<void> => {
    const optional = { ...(apiPassphrase === "" ? {} : { apiPassphrase }), ...(name === "" ? {} : { name }) }
    await proven(() => gateway.post("credential/create", { venue, apiKey, apiSecret, ...optional }))
    onDone()
  }
  return (
    <Dialog title="Key of an exchange" onClose={onDone}>
      <Form onSend={store} button="Prove and store it">
        <p class="dim">
          The venue is asked whether the key is good before anything is stored. Give it no right to withdraw.
        </p>
        <Fault of={venues} />
        <Field label="Venue">
          <select required autofocus value={venue} onChange={(event) => setVenue(event.currentTarget.value)}>
            <option value="">choose</option>
            {(venues.value ?? []).map((it) => (
              <option key={it.venue} value={it.venue} disabled={it.status !== "ACTIVE"}>
                {it.venue}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Name" hint="to tell it from others">
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Key">
          <input
            required
            autocomplete="off"
            value={apiKey}
            onInput={(event) => setKey(event.currentTarget.value.trim())}
          />
        </Field>
        <Field label="Secret" hint="text, or PEM">
          <textarea
            required
            class="hidden-text"
            autocomplete="off"
            spellcheck={false}
            rows={2}
            value={apiSecret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </Field>
        <Field label="Passphrase" hint="where the venue has one">
          <input
            type="password"
            autocomplete="off"
            value={apiPassphrase}
            onInput={(event) => setPassphrase(event.currentTarget.value)}
          />
        </Field>
      </Form>
    </Dialog>
  )
}

const Row = ({ it, again }: { readonly it: Credential; readonly again: () => void }) => {
  const connect = async (): Promise<void> => {
    await gateway.post("tradingAccount/connect", {
      venue: it.venue,
      credentialIds: [it.credentialId],
      nickname: it.name,
    })
    await loadAccounts()
    again()
  }
  const revoke = async (): Promise<void> => {
    await proven(() => gateway.post("credential/revoke", { credentialId: it.credentialId }))
    again()
  }
  return (
    <tr data-credential={it.credentialId}>
      <td>{it.venue}</td>
      <td>{it.name}</td>
      <td class="num">{it.apiKey}</td>
      <td>
        <span class={`badge ${it.status === "REVOKED" ? "" : "live"}`}>{it.status}</span>
      </td>
      <td class="num">{bothClocks(it.createdAt).slice(0, 10)}</td>
      <td>
        {it.status !== "REVOKED" && may("write") && (
          <div class="acts">
            <Form class="inline" button="Connect its account" onSend={connect} />
            <Form class="inline" danger={true} button="Revoke" asks="Revoke it for good?" onSend={revoke} />
          </div>
        )}
      </td>
    </tr>
  )
}

export const Credentials = () => {
  const [isAdding, setAdding] = useState(false)
  const found = useLoaded("credentials", () => gateway.get("credential/list", { limit: 200 }))
  useLayoutEffect(() => listenFor("credentials", { e: () => setAdding(may("write")) }), [])
  return (
    <Panel
      title="Keys of exchanges"
      aside={
        <button type="button" class="primary" disabled={!may("write")} onClick={() => setAdding(true)}>
          Add <kbd>e</kbd>
        </button>
      }
    >
      <Fault of={found} />
      {found.value?.length === 0 && <Empty>None yet. MOCK and PAPER need none.</Empty>}
      {found.value !== null && found.value.length > 0 && (
        <Table
          label="Keys of exchanges"
          heads={
            <>
              <th>Venue</th>
              <th>Name</th>
              <th>Key</th>
              <th>State</th>
              <th>Since</th>
              <th>
                <span class="unseen">Acts</span>
              </th>
            </>
          }
        >
          {found.value.map((it) => (
            <Row key={it.credentialId} it={it} again={found.again} />
          ))}
        </Table>
      )}
      {isAdding && (
        <NewCredential
          onDone={() => {
            setAdding(false)
            found.again()
          }}
        />
      )}
    </Panel>
  )
}
