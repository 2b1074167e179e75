import { ConfigError } from '@svc/core'
import { EVENT_STREAM_HEADERS } from '@svc/core/client'
import { toFrame } from '../shared/open-stream.ts'
import type { AguiEvent } from './wire.ts'

/** The binary form of events, of `@ag-ui/proto`. */
export const BINARY = 'application/vnd.ag-ui.event+proto'

export type Encode = (event: AguiEvent) => string | Uint8Array

export const encodeText: Encode = (event) => toFrame(event)

/** @throws ConfigError where the package is missing that this needs */
export async function loadBinary(): Promise<Encode> {
  const { EventEncoder } = await import('@ag-ui/encoder').catch((cause: unknown) => {
    throw new ConfigError('config_invalid', `${BINARY} needs a package: npm install @ag-ui/encoder`, { cause })
  })
  const encoder = new EventEncoder({ accept: BINARY })
  return (event) => encoder.encodeBinary(event as never)
}

export const BINARY_HEADERS: Readonly<Record<string, string>> = { ...EVENT_STREAM_HEADERS, 'Content-Type': BINARY }
