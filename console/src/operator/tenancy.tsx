/** The networks that users may come from, and tenants: each panel of its own, and the networks of one user in a dialog. */
import { useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { bothClocks } from "../format.ts"
import { type Loaded, useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Empty, Fault, Field, Form, Panel, Table } from "../parts/ui.tsx"
import { canChange, gateway, session } from "../session.ts"

export type Tenant = components["schemas"]["Tenant"]

/** `userId` null: of the tenant, for all its users. */
export const NetworkList = ({ userId }: { readonly userId: string | null }) => {
  const [network, setNetwork] = useState("")
  const of = userId === null ? {} : { userId }
  const found = useLoaded(`networks ${userId}`, () => gateway.get("admin/network/list", of))
  const networks = found.value?.ipAllow ?? []
  const change = async (name: "allow" | "forget", which: string): Promise<void> => {
    await proven(() => gateway.post(`admin/network/${name}`, { ...of, network: which }))
    found.again()
  }
  return (
    <div class="networks">
      <Fault of={found} />
      {found.value !== null && networks.length === 0 && <p class="dim">None: from everywhere.</p>}
      <ul>
        {networks.map((it) => (
          <li key={it}>
            <span class="num">{it}</span>
            {canChange() && (
              <Form
                class="inline"
                danger={true}
                button="Remove"
                asks={networks.length === 1 ? "Open it to every address?" : "Shut it out at once?"}
                onSend={() => change("forget", it)}
              />
            )}
          </li>
        ))}
      </ul>
      {canChange() && (
        <Form
          class="row"
          button="Allow"
          {...(networks.length === 0 ? { asks: "All others are shut out at once: go on?" } : {})}
          onSend={async () => {
            await change("allow", network)
            setNetwork("")
          }}
        >
          <Field label="Network" hint="an address or a CIDR">
            <input
              required
              class="num left"
              autocomplete="off"
              placeholder="203.0.113.0/24"
              value={network}
              onInput={(event) => setNetwork(event.currentTarget.value.trim())}
            />
          </Field>
        </Form>
      )}
    </div>
  )
}

export const TenantNetworks = () => (
  <Panel title={`Networks of ${session.value?.user.appMetadata.tenantId ?? "the tenant"}`}>
    <p class="lead dim">From where all its users may come; a user's own list narrows it further.</p>
    <NetworkList userId={null} />
  </Panel>
)

export const Tenants = ({ found }: { readonly found: Loaded<ReadonlyArray<Tenant>> }) => {
  const [tenantId, setTenant] = useState("")
  const tenants = found.value ?? []
  const isHome = tenants.some((it) => it.isHome && it.tenantId === session.value?.user.appMetadata.tenantId)
  return (
    <Panel title="Tenants" aside={<small class="dim num">{tenants.length}</small>}>
      <Fault of={found} />
      {found.value === null && found.fault === null && <Empty>Loading…</Empty>}
      {tenants.length > 0 && (
        <Table
          label="Tenants"
          heads={
            <>
              <th>Tenant</th>
              <th class="right">Users</th>
              <th>Since</th>
            </>
          }
        >
          {tenants.map((it) => (
            <tr key={it.tenantId}>
              <td>
                {it.tenantId} {it.isHome && <small class="dim">the installation's own</small>}
              </td>
              <td class="right num">{it.users}</td>
              <td class="num">{bothClocks(it.createdAt).slice(0, 10)}</td>
            </tr>
          ))}
        </Table>
      )}
      {isHome && canChange() && (
        <Form
          class="row"
          button="Create"
          onSend={async () => {
            await proven(() => gateway.post("admin/tenant/create", { tenantId }))
            setTenant("")
            found.again()
          }}
        >
          <Field label="New tenant" hint="its first admin: give admin, then move">
            <input
              required
              autocomplete="off"
              value={tenantId}
              onInput={(event) => setTenant(event.currentTarget.value.trim())}
            />
          </Field>
        </Form>
      )}
    </Panel>
  )
}
