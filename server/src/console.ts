import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { NotFoundError } from '@svc/core'
import express, { type Request, type Response } from 'express'
import * as Type from 'typebox'
import { ANY } from './http/request/accept.ts'
import { type Route, route } from './routes/route.ts'

/** Beside the code of the server, whether that is its source or what was built of it. In a bundle of CommonJS a module has no URL. */
const FOLDER = fileURLToPath(new URL('../dist/console/', import.meta.url ?? pathToFileURL(__filename)))
/**
 * What a page of the console may do: load its own scripts, styles and pictures, and ask its own server. No form of it is sent,
 * no text becomes HTML or the address of a script but of its one worker, and no page frames it.
 */
const PAGE_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'; trusted-types svc-worker",
].join('; ')
const PAGE_HEADERS = {
  'Content-Security-Policy': PAGE_POLICY,
  'Referrer-Policy': 'no-referrer',
}
/** Files whose names have a hash of their content; each script and style lies there packed, too. */
const ASSETS = '/console/assets/'
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css' }

const files = express.static(FOLDER, { index: false, redirect: false, cacheControl: false, fallthrough: false })

/** The web console: static files, and one page for each of its addresses. */
export const consoleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/',
    auth: 'open',
    summary: 'Leads to the console.',
    isUnlimited: true,
    media: [ANY],
    answers: { 302: null },
    errors: [],
    handle: () => ({ status: 302, headers: { Location: '/console/' } }),
  }),
  route({
    method: 'GET',
    path: '/console{/*file}',
    auth: 'open',
    summary: 'A file of the console.',
    // A page that lacks a part of itself could not even say that the server has had enough requests.
    isUnlimited: true,
    media: [ANY],
    // What a page shows stands in its address, and is read by the page.
    query: Type.Object({}, { additionalProperties: true }),
    answers: { 200: null },
    errors: ['route_not_found'],
    handle: ({ message, response }) => ({ status: 200, write: () => sendFile(message, response) }),
  }),
]

function sendFile(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ''] = (message.url ?? '').split('?')
  const isAsset = path.startsWith(ASSETS)
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
  response.setHeader('Cache-Control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
  message.url = isAsset ? `${path.slice('/console'.length)}${pack(message, response, path)}` : '/index.html'
  return new Promise((resolve, reject) => {
    response.once('close', resolve)
    files(message as Request, response as Response, () => {
      // What is said of a file that is not there is no file: neither packed nor kept.
      for (const name of ['Content-Encoding', 'Content-Type', 'Vary']) response.removeHeader(name)
      response.setHeader('Cache-Control', 'no-store')
      message.url = path
      reject(new NotFoundError('route_not_found', `the console has no file ${path.slice(0, 200)}`))
    })
  })
}

/** Sends what a script or style is packed as, to whom can read it. @returns what its name ends with */
function pack({ headers }: IncomingMessage, response: ServerResponse, path: string): string {
  const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]
  if (type === undefined) return ''
  response.setHeader('Vary', 'Accept-Encoding')
  if (!/\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))) return ''
  response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Content-Type', `${type}; charset=utf-8`)
  return '.gz'
}
