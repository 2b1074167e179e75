import type { Route } from '../routes/route.ts'
import { a2aRoutes } from './a2a/index.ts'
import { aguiRoutes } from './agui/index.ts'
import { anthropicRoutes } from './anthropic/routes.ts'
import { mcpRoutes } from './mcp/http/routes.ts'
import { openAiRoutes } from './openai/index.ts'

/** The routes of the protocols of others, which `server.adapters` switches off one by one. */
export const ADAPTER_ROUTES: readonly Route[] = [
  ...openAiRoutes,
  ...anthropicRoutes,
  ...mcpRoutes,
  ...a2aRoutes,
  ...aguiRoutes,
]
