import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ErrorBoundary, lazy, useLocation } from 'preact-iso'
import { followPending, pendingApprovals } from './approvals/pending.ts'
import { useConsoleCommands } from './keys/console-commands.ts'
import { followKeys, keysOf } from './keys/keys.ts'
import { isHelpOpen, isPaletteOpen } from './keys/overlays.ts'
import { followNotifications } from './notify/notify.ts'
import { NotifyButton } from './notify/notify-button.tsx'
import { useDismiss } from './parts/use-dismiss.ts'
import { nextTheme, theme } from './theme.ts'
import { isWithin, VIEWS } from './views.ts'
import './styles/header.css'

// Both are over the page once they are asked for.
const Palette = lazy(() => import('./palette/palette.tsx'))
const Help = lazy(() => import('./keys/help.tsx'))

const MAIN = VIEWS.filter(({ isMain }) => isMain === true)
const REST = VIEWS.filter(({ isMain }) => isMain !== true)

/** Where one is, and the way to everything else. */
export function Header() {
  const { route } = useLocation()
  useEffect(followPending, [])
  useEffect(followKeys, [])
  useEffect(() => followNotifications(route), [])
  useConsoleCommands()
  return (
    <header class="top">
      <a class="brand" href="/console/">
        <img src={new URL('./icon.svg', import.meta.url).href} alt="" width="22" height="22" />
        svc
      </a>
      <nav class="tabs" aria-label="Views">
        {MAIN.map((view) => (
          <ViewLink key={view.href} view={view} />
        ))}
        <div class="inline-rest">
          {REST.map((view) => (
            <ViewLink key={view.href} view={view} />
          ))}
        </div>
        <More />
      </nav>
      <div class="tools">
        <button
          type="button"
          class="plain tool"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <span aria-hidden="true" class="sign">
            ⌕
          </span>
          <span class="label">Search</span>
          <span aria-hidden="true" class="hint">
            {keysOf('mod+k').join(' ')}
          </span>
        </button>
        <div class="wide-tools">
          <NotifyButton />
          <ThemeButton />
        </div>
      </div>
      <ErrorBoundary>
        {isPaletteOpen.value && <Palette />}
        {isHelpOpen.value && <Help />}
      </ErrorBoundary>
    </header>
  )
}

function ViewLink({ view, onGo }: { view: (typeof VIEWS)[number]; onGo?: () => void }) {
  const { path } = useLocation()
  const isApprovals = view.name === 'Approvals'
  return (
    <a href={view.href} aria-current={isWithin(view, path) ? 'page' : undefined} onClick={onGo}>
      {view.name}
      {isApprovals && pendingApprovals.value > 0 && (
        <span class="count" title={`${pendingApprovals.value} wait for you`}>
          {pendingApprovals.value}
        </span>
      )}
    </a>
  )
}

/** The other views and switches, where there is little room. */
function More() {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  const box = useDismiss(isOpen)
  const close = (): void => {
    isOpen.value = false
  }
  const isHere = REST.some((view) => isWithin(view, path))
  return (
    <div ref={box} class="more">
      <button
        type="button"
        class="plain"
        aria-expanded={isOpen.value}
        aria-controls="more-views"
        data-here={isHere}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        More <span aria-hidden="true">▾</span>
      </button>
      <div id="more-views" class="menu" hidden={!isOpen.value}>
        {isOpen.value && (
          <>
            {REST.map((view) => (
              <ViewLink key={view.href} view={view} onGo={close} />
            ))}
            <hr />
            <NotifyButton />
            <ThemeButton />
            <button
              type="button"
              class="plain tool"
              onClick={() => {
                close()
                isHelpOpen.value = true
              }}
            >
              <span aria-hidden="true" class="sign">
                ?
              </span>
              <span class="label">Keyboard shortcuts</span>
            </button>
          </>
        )}
      </div>
    </div>
  )
}

function ThemeButton() {
  return (
    <button type="button" class="plain tool" onClick={nextTheme} aria-label={`Colours: ${theme.value}. Change`}>
      <span aria-hidden="true" class="sign">
        {{ system: '◐', light: '☀', dark: '☾' }[theme.value]}
      </span>
      <span class="label">Colours: {theme.value}</span>
    </button>
  )
}
