import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/content.css'
import './styles/alone.css'
import './styles/responsive.css'
import { lazy, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { Speaking, wordsOfPage } from './hooks/words.ts'
import { PayPage } from './pages/pay-page.tsx'
import { Guard } from './parts/guard.tsx'

/** Much more than payers need: they do not load it. */
const Dashboard = lazy(async () => {
  const { Dashboard } = await import('./dashboard.tsx')
  return { default: Dashboard }
})

const root = document.getElementById('root')
const paying = /^\/pay\/([^/]+)$/.exec(location.pathname)?.[1]
if (root)
  createRoot(root).render(
    <Speaking value={wordsOfPage()}>
      <Guard>
        <Suspense>{paying ? <PayPage id={paying} /> : <Dashboard />}</Suspense>
      </Guard>
    </Speaking>,
  )
