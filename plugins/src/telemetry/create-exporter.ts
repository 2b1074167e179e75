import { ConfigError, type Redactor, redact, type SvcConfig, VERSION } from '@svc/core'
import { createCleaner } from './clean-text.ts'
import { TraceExporter } from './trace-exporter.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Makes the exporter that a config asks for. `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES` are read as OpenTelemetry says.
 *
 * @param redactKnown takes out what no span may hold
 * @throws ConfigError `config_invalid` for an address that is none
 */
export function createExporter(
  { otlp, content = false }: NonNullable<SvcConfig['telemetry']>,
  env: Env,
  redactKnown: Redactor,
): TraceExporter | undefined {
  if (otlp === undefined) return undefined
  const headers = readPairs(env.OTEL_EXPORTER_OTLP_HEADERS)
  return new TraceExporter({
    url: addressOf(otlp),
    headers,
    fetch: globalThis.fetch,
    content,
    resource: {
      'service.name': 'svc',
      'service.version': VERSION,
      ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME !== undefined &&
        env.OTEL_SERVICE_NAME !== '' && { 'service.name': env.OTEL_SERVICE_NAME }),
    },
    clean: createCleaner(redactKnown),
    report: (message) => process.emitWarning(message, 'SvcWarning'),
  })
}

/** The address of a collector, or of its `/v1/traces`. */
function addressOf(otlp: string): string {
  if (!URL.canParse(otlp) || !/^https?:$/.test(new URL(otlp).protocol))
    throw new ConfigError(
      'config_invalid',
      `/telemetry/otlp: "${redact(otlp)}" is no address of a collector, such as http://127.0.0.1:4318`,
    )
  const url = new URL(otlp)
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/v1/traces`
  return url.href
}

/** `name=value,name=value`, percent-encoded; what is no pair is left out. */
function readPairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...rest] = pair.split('=')
    if (name.trim() === '' || rest.length === 0) return []
    try {
      return [[name.trim(), decodeURIComponent(rest.join('=').trim())] as const]
    } catch {
      return []
    }
  })
  return Object.fromEntries(pairs)
}
