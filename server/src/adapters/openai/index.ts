import type { Route } from '../../routes/route.ts'
import { chatRoute } from './chat/route.ts'
import { modelRoutes } from './models.ts'
import { responseRoutes } from './responses/routes.ts'

/** What clients of OpenAI ask: chat completions, responses and models. */
export const openAiRoutes: readonly Route[] = [...modelRoutes, chatRoute, ...responseRoutes]
