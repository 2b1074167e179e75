import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { followPending, pendingApprovals } from './approvals/pending.ts'
import { nextTheme, theme } from './theme.ts'
import './styles/header.css'

const VIEWS = [
  { path: '/console/', name: 'Runs', below: '/console/runs' },
  { path: '/console/approvals', name: 'Approvals', below: '/console/approvals' },
  { path: '/console/memory', name: 'Memory', below: '/console/memory' },
  { path: '/console/plugins', name: 'Plugins', below: '/console/plugins' },
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
      <nav aria-label="Views">
        {VIEWS.map((view) => {
          const isHere = path === view.path || path.startsWith(view.below)
          return (
            <a key={view.path} href={view.path} aria-current={isHere ? 'page' : undefined}>
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
