import { LocationProvider, lazy, Route, Router } from 'preact-iso'
import { Approvals } from './approvals/approvals.tsx'
import { Header } from './header.tsx'
import { NotFound } from './not-found.tsx'
import { viewTitle } from './parts/view-title.ts'
import { Runs } from './runs/runs.tsx'
import { Away } from './session/away.tsx'
import { KeyDialog } from './session/key-dialog.tsx'
import { isSignedOut, wasIn } from './session/session.ts'
import { focusView } from './view-focus.ts'

// What is looked at later is loaded later.
const RunPage = lazy(() => import('./run/run-page.tsx'))
const Compare = lazy(() => import('./compare/compare.tsx'))
const Memory = lazy(() => import('./memory/memory.tsx'))
const Plugins = lazy(() => import('./plugins/plugins.tsx'))

/** The console: one page, its views by address. */
export function App() {
  return (
    <LocationProvider scope="/console">
      <a class="skip" href="#main">
        To the content
      </a>
      <Header />
      <Away />
      <main id="main" tabIndex={-1} aria-label={viewTitle.value || undefined}>
        {isSignedOut.value && !wasIn.value ? null : (
          <Router onRouteChange={focusView}>
            <Route path="/console/" component={Runs} />
            <Route path="/console/runs/:id/:tab?" component={RunPage} />
            <Route path="/console/compare/:a/:b" component={Compare} />
            <Route path="/console/approvals/:id?" component={Approvals} />
            <Route path="/console/memory" component={Memory} />
            <Route path="/console/plugins" component={Plugins} />
            <Route default component={NotFound} />
          </Router>
        )}
      </main>
      <KeyDialog />
    </LocationProvider>
  )
}
