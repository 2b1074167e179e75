import type { MemoryRecord } from '@svc/sdk/remote'

/** Whether what is remembered may be believed. */
export function Trust({ of }: { of: MemoryRecord['trust'] }) {
  return (
    <strong class="trust" data-trust={of}>
      {of === 'trusted' ? '✓ trusted' : '! untrusted'}
    </strong>
  )
}
