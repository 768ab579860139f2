/** Users of the tenant: bans, rights, ends of sessions, and what is seldom needed: networks, a lost second factor, another tenant. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { bothClocks } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import type { Loaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Dialog, Fault, Field, Form, Hint, Panel, Table } from "../parts/ui.tsx"
import { canChange, gateway, session } from "../session.ts"
import { NetworkList, type Tenant } from "./tenancy.tsx"

export type AdminUser = components["schemas"]["AdminUser"]

interface AskedOf {
  readonly user: AdminUser
  readonly tenants: ReadonlyArray<Tenant>
  readonly onClose: () => void
}

const isOfHome = (tenants: ReadonlyArray<Tenant>, user: AdminUser): boolean =>
  tenants.some(({ isHome, tenantId }) => isHome && tenantId === user.appMetadata.tenantId)

const Ban = ({ user, onClose }: AskedOf) => {
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

const SecondFactorReset = ({ user, again }: { readonly user: AdminUser; readonly again: () => void }) =>
  user.secondFactorAt === null ? (
    <p class="dim">None is set up.</p>
  ) : (
    <Form
      button="Reset the second factor"
      asks="Was it asked for by this very user?"
      danger={true}
      onSend={async () => {
        await proven(() => gateway.post("admin/user/resetSecondFactor", { userId: user.id }))
        again()
      }}
    >
      <p class="dim">
        Removes it with its recovery codes and ends all sessions. The next sign-in needs the password alone.
      </p>
    </Form>
  )

const Move = (props: {
  readonly user: AdminUser
  readonly tenants: ReadonlyArray<Tenant>
  readonly onDone: () => void
}) => {
  const { user } = props
  const others = props.tenants.filter(({ tenantId }) => tenantId !== user.appMetadata.tenantId)
  const [to, setTo] = useState(others[0]?.tenantId ?? "")
  if (others.length === 0) return <p class="dim">There is no other tenant.</p>
  return (
    <Form
      button={`Move to ${to}`}
      asks={`You see the user no more: move to ${to}?`}
      danger={true}
      onSend={async () => {
        await proven(() => gateway.post("admin/tenant/move", { userId: user.id, tenantId: to }))
        props.onDone()
      }}
    >
      <p class="dim">Refused while the user owns anything here. Ends all sessions and API keys.</p>
      <Field label="Tenant">
        <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
          {others.map(({ tenantId }) => (
            <option key={tenantId}>{tenantId}</option>
          ))}
        </select>
      </Field>
    </Form>
  )
}

const More = ({ user, tenants, onClose }: AskedOf) => (
  <Dialog title={user.email} onClose={onClose}>
    <section class="parts">
      <h3>Networks</h3>
      <NetworkList userId={user.id} />
      <h3>Second factor</h3>
      <SecondFactorReset user={user} again={onClose} />
      {isOfHome(tenants, user) && (
        <>
          <h3>Tenant</h3>
          <Move user={user} tenants={tenants} onDone={onClose} />
        </>
      )}
    </section>
  </Dialog>
)

const GiveAdmin = ({ user, tenants, onClose }: AskedOf) => (
  <Dialog title={`Give admin to ${user.email}`} onClose={onClose}>
    <p>
      An admin bans users, gives rights and moves money
      {isOfHome(tenants, user)
        ? ", makes tenants, and halts trading for the whole installation."
        : ` in ${user.appMetadata.tenantId}.`}
    </p>
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

const UserRow = (props: {
  readonly user: AdminUser
  readonly tenants: ReadonlyArray<Tenant>
  readonly again: () => void
}) => {
  const { user, again } = props
  const [asks, setAsks] = useState<"ban" | "admin" | "more" | null>(null)
  const Asking = asks === null ? null : { ban: Ban, admin: GiveAdmin, more: More }[asks]
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
      <td class="wrap">{user.email}</td>
      <td>{user.permissions.join(", ") || "–"}</td>
      <td>
        {user.bannedAt === null ? (
          <span class="badge live">active</span>
        ) : (
          <Hint lines={[`Since ${user.bannedAt}.`, user.banReason ?? "No reason was given."]}>
            <span class="badge bad">banned</span>
          </Hint>
        )}
        {user.secondFactorAt !== null && <small class="dim"> second factor</small>}
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
            <button type="button" class="quiet" onClick={() => setAsks("more")}>
              More…
            </button>
          </div>
        )}
        {isSelf && <span class="dim">you</span>}
      </td>
      {Asking !== null && (
        <td>
          <Asking
            user={user}
            tenants={props.tenants}
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

export const Users = ({
  found,
  tenants,
}: {
  readonly found: Loaded<ReadonlyArray<AdminUser>>
  readonly tenants: ReadonlyArray<Tenant>
}) => {
  const [text, setText] = useState("")
  const search = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => listenFor("users", { u: () => search.current?.focus() }), [])
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
          <UserRow key={user.id} user={user} tenants={tenants} again={found.again} />
        ))}
      </Table>
    </Panel>
  )
}
