import { useCallback, useEffect, useRef, useState } from 'react'
import { call, type Refusal } from './api.ts'
import { decoded } from './format.ts'
import { Streaming, useStream } from './hooks/live.ts'
import { requestTimeoutMs } from './hooks/polling.ts'
import { noteLogin, type Session, whyOver } from './hooks/session.ts'
import { useTrouble } from './hooks/trouble.ts'
import { BudgetPage } from './pages/budget.tsx'
import { Budgets } from './pages/budgets.tsx'
import { Credit } from './pages/credit.tsx'
import { CreditNotePage } from './pages/credit-note.tsx'
import { CreditNoteList } from './pages/credit-notes.tsx'
import { Invoice } from './pages/invoice.tsx'
import { Invoices } from './pages/invoices.tsx'
import { Keys } from './pages/keys.tsx'
import { Login } from './pages/login.tsx'
import { Mandate } from './pages/mandate.tsx'
import { Mandates } from './pages/mandates.tsx'
import { NewInvoice } from './pages/new-invoice.tsx'
import { Overview } from './pages/overview.tsx'
import { ProfilePage } from './pages/profile.tsx'
import { TaxSummary } from './pages/tax-summary.tsx'
import { Transfers, TransfersLink } from './pages/transfers.tsx'
import { Webhook } from './pages/webhook.tsx'
import { Webhooks } from './pages/webhooks.tsx'
import { useAction } from './parts/actions.tsx'
import { Guard } from './parts/guard.tsx'
import { Mark } from './parts/mark.tsx'
import { Empty, LinkButton, Page, Show } from './parts/parts.tsx'

const mainLinks = [
  ['#/', 'Overview'],
  ['#/invoices', 'Invoices'],
  ['#/credit-notes', 'Credit notes'],
  ['#/mandates', 'Mandates'],
  ['#/budgets', 'Agents & budgets'],
  ['#/tax', 'Tax summary'],
] as const
const settingsLinks = [
  ['#/profile', 'Profile'],
  ['#/keys', 'API keys'],
  ['#/webhooks', 'Webhooks'],
] as const

function useHash(): string {
  const [hash, setHash] = useState(location.hash || '#/')
  useEffect(() => {
    const follow = () => setHash(location.hash || '#/')
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [])
  return hash
}

/** The pages for who has logged in, and the form for who has not. */
export function Dashboard() {
  // Undefined until it is known whether there is a session: nothing is shown before.
  const [session, setSession] = useState<Session | null>()
  const [error, setError] = useState<Refusal | null>(null)
  const check = useCallback(() => {
    setError(null)
    const signal = AbortSignal.timeout(requestTimeoutMs)
    call<Session>('GET', '/dashboard/session', undefined, { signal }).then(
      setSession,
      (refusal: Refusal) =>
        refusal.status === 401 || refusal.status === 403 ? setSession(null) : setError(refusal),
    )
  }, [])
  useEffect(() => {
    const end = () => setSession(null)
    window.addEventListener('session-ended', end)
    window.addEventListener('online', check)
    check()
    return () => {
      window.removeEventListener('session-ended', end)
      window.removeEventListener('online', check)
    }
  }, [check])
  function leave() {
    noteLogin(null)
    setSession(null)
  }
  if (session === undefined)
    return (
      <main className="alone">
        <h1 className="unseen">Quittance</h1>
        <Show from={{ data: null, error, reload: check }}>{() => null}</Show>
      </main>
    )
  if (session === null) return <Login whyOver={whyOver(new Date())} onDone={check} />
  return <Shell session={session} onLogout={leave} />
}

function Shell({ session, onLogout }: { session: Session; onLogout: () => void }) {
  const hash = useHash()
  const isConnected = useStream()
  const isInTrouble = useTrouble()
  const isStreaming = isConnected && !isInTrouble
  const logout = useAction()
  const [path = '', query = ''] = hash.split('?')
  const [, place = '', id, action] = path.split('/')
  // On a phone the links are one scrolling line. `scrollIntoView` would move the keyboard's place.
  useEffect(() => {
    const links = document.querySelector<HTMLElement>('.links')
    const current = links?.querySelector<HTMLElement>(`[href="#/${CSS.escape(place)}"]`)
    if (links && current)
      links.scrollLeft =
        current.offsetLeft - links.offsetLeft - (links.clientWidth - current.offsetWidth) / 2
  }, [place])
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    // As in a new document, focus and scroll position start at the top.
    document.getElementById('main')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [path])
  return (
    <Streaming value={isStreaming}>
      <button
        type="button"
        className="skip"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to content
      </button>
      <div className="shell">
        <nav aria-label="Main">
          <a className="brand" href="#/">
            <Mark /> Quittance
          </a>
          <p className="account">
            <span className="cut" title={session.account.name} dir="auto">
              {session.account.name}
            </span>{' '}
            <span className={`environment ${session.environment}`}>{session.environment}</span>
          </p>
          <div className="links">
            <Links of={mainLinks} place={place} />
            <TransfersLink current={place === 'transfers'} />
            <p className="group">Settings</p>
            <Links of={settingsLinks} place={place} />
          </div>
          <p className={streamClass(isStreaming, isInTrouble)} role="status">
            {isStreaming ? 'Live' : isInTrouble ? 'Not up to date' : 'Refreshing'}
          </p>
          <button
            type="button"
            className="plain"
            disabled={logout.busy}
            onClick={() => logout.run(() => call('DELETE', '/dashboard/session').then(onLogout))}
          >
            Log out
          </button>
          {logout.refusal}
        </nav>
        <main id="main" key={path} tabIndex={-1}>
          <Guard>{pageAt(place, id, query, action)}</Guard>
        </main>
      </div>
    </Streaming>
  )
}

function streamClass(isStreaming: boolean, isInTrouble: boolean): string {
  if (isStreaming) return 'stream on'
  return isInTrouble ? 'stream off' : 'stream'
}

function Links({ of, place }: { of: typeof mainLinks | typeof settingsLinks; place: string }) {
  return of.map(([href, name]) => (
    <a key={href} href={href} aria-current={href === `#/${place}` ? 'page' : undefined}>
      {name}
    </a>
  ))
}

function pageAt(place: string, id: string | undefined, query: string, action?: string) {
  switch (place) {
    case 'invoices':
      if (id && action === 'credit') return <Credit id={id} />
      return id === 'new' ? <NewInvoice /> : id ? <Invoice id={id} /> : <Invoices query={query} />
    case 'credit-notes':
      return id ? <CreditNotePage id={id} /> : <CreditNoteList query={query} />
    case 'mandates':
      return id ? <Mandate id={id} /> : <Mandates query={query} />
    case 'budgets':
      return id ? <BudgetPage agentId={decoded(id)} /> : <Budgets query={query} />
    case 'tax':
      return <TaxSummary query={query} />
    case 'webhooks':
      return id ? <Webhook key={id} id={id} query={query} /> : <Webhooks />
    case 'profile':
      return <ProfilePage />
    case 'keys':
      return <Keys />
    case 'transfers':
      return <Transfers query={query} />
    case '':
      return <Overview query={query} />
    default:
      return (
        <Page title="No such page">
          <Empty
            title="There is nothing here"
            action={<LinkButton href="#/">Overview</LinkButton>}
          />
        </Page>
      )
  }
}
