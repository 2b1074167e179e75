import { ADAPTER_ROUTES } from '../adapters/index.ts'
import { agentRoutes } from './agents.ts'
import { approvalRoutes } from './approvals.ts'
import { artifactRoute } from './artifacts.ts'
import { eventRoutes } from './events.ts'
import { executeRoutes } from './execute.ts'
import { experimentRoutes } from './experiments.ts'
import { filesRoute } from './files.ts'
import { healthRoutes } from './health.ts'
import { inspectRoutes } from './inspect.ts'
import { memoryRoutes } from './memory.ts'
import { metricsRoute } from './metrics.ts'
import { modelsRoute } from './models.ts'
import { openApiRoute } from './openapi.ts'
import type { Route } from './route.ts'
import { runPartRoutes } from './run-parts.ts'
import { runRoutes } from './runs.ts'
import { sessionRoutes } from './session.ts'
import { threadRoutes } from './threads.ts'

export type { Answer } from '../http/answer.ts'
export type { Route, RouteRequest } from './route.ts'

const described: readonly Route[] = [
  ...healthRoutes,
  metricsRoute,
  ...executeRoutes,
  ...runRoutes,
  ...runPartRoutes,
  artifactRoute,
  ...eventRoutes,
  ...approvalRoutes,
  ...threadRoutes,
  ...agentRoutes,
  ...memoryRoutes,
  ...inspectRoutes,
  ...experimentRoutes,
  modelsRoute,
  filesRoute,
  ...sessionRoutes,
  ...ADAPTER_ROUTES,
]

/** What a process says of itself, to everybody who reaches the port that has nothing else. */
export const PROBE_ROUTES: readonly Route[] = [...healthRoutes, metricsRoute].map((route) => ({
  ...route,
  isProbe: true,
}))

/** Every route of the server. */
export const ROUTES: readonly Route[] = [...described, openApiRoute(described)]
