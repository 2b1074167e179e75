import { definePlugin } from '../../../src/index.ts'

/** Sends a request whose temperature is a text. */
export default definePlugin('breaks-request', ({ hooks }) => {
  hooks.modelRequest.tap(
    'breaks-request',
    (answer, request) => ({ ...(answer ?? request), temperature: 'hot' }) as never,
  )
})
