import './style.css'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { call } from './api.ts'
import { Budget, Budgets } from './budgets.tsx'
import { Invoice, Invoices, NewInvoice } from './invoices.tsx'
import { Keys } from './keys.tsx'
import { Login } from './login.tsx'
import { Mandate, Mandates } from './mandates.tsx'
import { Overview } from './overview.tsx'
import { Payment } from './payment.tsx'
import { TaxSummary } from './tax-summary.tsx'
import { Transfers, TransfersLink } from './transfers.tsx'
import { Webhook, Webhooks } from './webhooks.tsx'

const places = [
  ['#/', 'Overview'],
  ['#/invoices', 'Invoices'],
  ['#/mandates', 'Mandates'],
  ['#/budgets', 'Agents & budgets'],
  ['#/tax', 'Tax summary'],
  ['#/webhooks', 'Webhooks'],
  ['#/keys', 'API keys'],
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

function Dashboard() {
  const hash = useHash()
  const [ended, setEnded] = useState(false)
  useEffect(() => {
    const end = () => setEnded(true)
    window.addEventListener('session-ended', end)
    return () => window.removeEventListener('session-ended', end)
  }, [])
  if (ended) return <Login onDone={() => setEnded(false)} />
  const [, place = '', id] = hash.split('/')
  return (
    <div className="shell">
      <nav aria-label="Main">
        <a className="brand" href="#/">
          Quittance
        </a>
        {places.map(([href, name]) => (
          <a key={href} href={href} aria-current={href === `#/${place}` ? 'page' : undefined}>
            {name}
          </a>
        ))}
        <TransfersLink current={place === 'transfers'} />
        <button
          type="button"
          className="plain"
          onClick={() => call('DELETE', '/dashboard/session').finally(() => setEnded(true))}
        >
          Log out
        </button>
      </nav>
      <main key={hash}>{pageAt(place, id)}</main>
    </div>
  )
}

function pageAt(place: string, id: string | undefined) {
  switch (place) {
    case 'invoices':
      return id === 'new' ? <NewInvoice /> : id ? <Invoice id={id} /> : <Invoices />
    case 'mandates':
      return id ? <Mandate id={id} /> : <Mandates />
    case 'budgets':
      return id ? <Budget agentId={decodeURIComponent(id)} /> : <Budgets />
    case 'tax':
      return <TaxSummary />
    case 'webhooks':
      return id ? <Webhook id={id} /> : <Webhooks />
    case 'keys':
      return <Keys />
    case 'transfers':
      return <Transfers />
    default:
      return <Overview />
  }
}

const root = document.getElementById('root')
const paying = /^\/pay\/([^/]+)$/.exec(location.pathname)?.[1]
if (root) createRoot(root).render(paying ? <Payment id={paying} /> : <Dashboard />)
