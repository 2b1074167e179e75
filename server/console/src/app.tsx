import type { ComponentType } from 'preact'
import { LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import { Approvals } from './approvals/approvals.tsx'
import { Chat } from './chat/chat.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { NotFound } from './not-found.tsx'
import { ViewBoundary } from './parts/view-boundary.tsx'
import { viewTitle } from './parts/view-title.ts'
import { Away } from './session/away.tsx'
import { KeyDialog } from './session/key-dialog.tsx'
import { isSignedOut, wasIn } from './session/session.ts'
import { focusView } from './view-focus.ts'

// What is looked at later is loaded later.
const Runs = lazy(() => import('./runs/runs.tsx'))
const RunPage = lazy(() => import('./run/run-page.tsx'))
const Compare = lazy(() => import('./compare/compare.tsx'))
const Agents = lazy(() => import('./agents/agents.tsx'))
const Experiments = lazy(() => import('./experiments/experiments.tsx'))
const Costs = lazy(() => import('./costs/costs.tsx'))
const Memory = lazy(() => import('./memory/memory.tsx'))
const Plugins = lazy(() => import('./plugins/plugins.tsx'))

/** A view that leaves the page around it as it is where it fails. */
const guarded = (View: ComponentType) =>
  function Guarded() {
    return (
      <ViewBoundary of="The page" at={useLocation().path}>
        <View />
      </ViewBoundary>
    )
  }
const VIEWS = {
  chat: guarded(Chat),
  runs: guarded(Runs),
  run: guarded(RunPage),
  compare: guarded(Compare),
  approvals: guarded(Approvals),
  agents: guarded(Agents),
  experiments: guarded(Experiments),
  costs: guarded(Costs),
  memory: guarded(Memory),
  plugins: guarded(Plugins),
}

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
            <Route path="/console/" component={VIEWS.chat} />
            <Route path="/console/chat/:thread" component={VIEWS.chat} />
            <Route path="/console/runs" component={VIEWS.runs} />
            <Route path="/console/runs/:id/:tab?" component={VIEWS.run} />
            <Route path="/console/compare/:a/:b" component={VIEWS.compare} />
            <Route path="/console/approvals/:id?" component={VIEWS.approvals} />
            <Route path="/console/agents/:id?" component={VIEWS.agents} />
            <Route path="/console/experiments/:id?" component={VIEWS.experiments} />
            <Route path="/console/costs" component={VIEWS.costs} />
            <Route path="/console/memory" component={VIEWS.memory} />
            <Route path="/console/plugins" component={VIEWS.plugins} />
            <Route default component={NotFound} />
          </Router>
        )}
      </main>
      {!isSignedOut.value && <Footer />}
      <KeyDialog />
    </LocationProvider>
  )
}
