import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { followPending, pendingApprovals } from './approvals/pending.ts'
import { nextTheme, theme } from './theme.ts'
import './styles/header.css'

const VIEWS = [
  { href: '/console/', name: 'Chat', below: ['/console/chat'] },
  { href: '/console/runs', name: 'Runs', below: ['/console/runs', '/console/compare'] },
  { href: '/console/approvals', name: 'Approvals', below: ['/console/approvals'] },
  { href: '/console/agents', name: 'Agents', below: ['/console/agents'] },
  { href: '/console/experiments', name: 'Experiments', below: ['/console/experiments'] },
  { href: '/console/costs', name: 'Costs', below: ['/console/costs'] },
  { href: '/console/memory', name: 'Memory', below: ['/console/memory'] },
  { href: '/console/plugins', name: 'Plugins', below: ['/console/plugins'] },
]

/** Where one is, and the way to the other views. */
export function Header() {
  const { path } = useLocation()
  useEffect(followPending, [])
  return (
    <header class="top">
      <a class="brand" href="/console/">
        <img src={new URL('./icon.svg', import.meta.url).href} alt="" width="22" height="22" />
        svc
      </a>
      <nav class="tabs" aria-label="Views">
        {VIEWS.map((view) => {
          const isHere = `${path}/` === view.href || view.below.some((below) => `${path}/`.startsWith(`${below}/`))
          return (
            <a key={view.href} href={view.href} aria-current={isHere ? 'page' : undefined}>
              {view.name}
              {view.name === 'Approvals' && pendingApprovals.value > 0 && (
                <span class="count" title={`${pendingApprovals.value} wait for you`}>
                  {pendingApprovals.value}
                </span>
              )}
            </a>
          )
        })}
      </nav>
      <button type="button" class="plain spread" onClick={nextTheme} aria-label={`Colours: ${theme.value}. Change`}>
        {{ system: '◐', light: '☀', dark: '☾' }[theme.value]}
      </button>
    </header>
  )
}
