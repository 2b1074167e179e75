import type { Route } from '../routes/route.ts'
import { anthropicRoutes } from './anthropic/routes.ts'
import { mcpRoutes } from './mcp/http/routes.ts'

/** The routes of the protocols of others, which `server.adapters` switches off one by one. */
export const ADAPTER_ROUTES: readonly Route[] = [...anthropicRoutes, ...mcpRoutes]
