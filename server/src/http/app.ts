import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import helmet from 'helmet'
import { statusOf } from '../observe/http-log.ts'
import type { Route } from '../routes/route.ts'
import { type DispatchOptions, dispatch } from './dispatch.ts'
import type { OpenResponses } from './open-responses.ts'
import { requestIdOf } from './request/request-id.ts'
import { begin, stateOf } from './request/request-state.ts'
import { answerTrace } from './request/trace-header.ts'
import { sendError } from './send.ts'

export interface AppOptions extends DispatchOptions {
  routes: readonly Route[]
  open: OpenResponses
  /** Called when a response has ended, with the seconds that it took. */
  onAnswered: (request: Request, response: Response, seconds: number) => void
}

/** What answers requests, from their first line to the last byte of the answer. */
export function createApp({ routes, open, onAnswered, ...options }: AppOptions): Express {
  const { context } = options
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing')
  app.use(helmet(HEADERS))
  app.use((request: Request, response: Response, next: NextFunction) => {
    const { requestId, startedAt } = begin(response, requestIdOf(request))
    response.setHeader('X-Request-Id', requestId)
    answerTrace(request, response)
    response.setHeader('Cache-Control', 'no-store')
    if (context.isDraining) response.setHeader('Connection', 'close')
    open.add(response)
    response.on('close', () => {
      const seconds = (performance.now() - startedAt) / 1000
      context.metrics.request({
        method: request.method,
        route: stateOf(response).route,
        status: statusOf(response),
        seconds,
      })
      onAnswered(request, response, seconds)
    })
    next()
  })
  dispatch(app, routes, options)
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(thrown, request, response)
  })
  return app
}

/** What a browser may do with an answer: show it as data, and nothing else. */
const HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
  },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} satisfies Parameters<typeof helmet>[0]
