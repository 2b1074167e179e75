/** The manifests for Kubernetes, as kubectl puts them together: no cluster is asked, so what can be compared is. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { configVariables } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../src/routes/index.ts'

const test = suite('kubernetes')

interface Probe {
  httpGet: { path: string; port: string }
}
interface Container {
  name: string
  args?: string[]
  env?: { name: string; value: string }[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts?: { name: string; mountPath: string }[]
  securityContext?: object
  resources?: { requests?: object; limits?: { memory?: string } }
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}
interface Pod {
  metadata: { labels: Record<string, string> }
  spec: {
    containers: Container[]
    initContainers?: Container[]
    enableServiceLinks?: boolean
    automountServiceAccountToken?: boolean
    terminationGracePeriodSeconds?: number
    serviceAccountName?: string
    securityContext?: object
    volumes?: { name: string; configMap?: { name: string } }[]
  }
}
interface Resource {
  kind: string
  metadata: { name: string; namespace?: string }
  data?: Record<string, string>
  spec?: {
    template?: Pod
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>
    podSelector?: { matchLabels: Record<string, string> }
    scaleTargetRef?: { kind: string; name: string }
    volumeClaimTemplates?: { metadata: { name: string } }[]
    replicas?: number
  }
}

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const folderOf = (name: string): string => fileURLToPath(new URL(`../deploy/kubernetes/${name}`, import.meta.url))

function outputOf(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
  assert.is(status, 0, stderr)
  return stdout
}

/** What would be applied. `kubectl label` reads it with the types that it knows, and writes it as JSON. */
function resourcesOf(name: string): Resource[] {
  const built = outputOf('kubectl', ['kustomize', folderOf(name)])
  const read = outputOf('kubectl', ['label', '--local', '--filename', '-', 'read-by=test', '--output', 'json'], built)
  return read.split(/\n(?=\{)/).map((text) => JSON.parse(text))
}

const podsOf = (resources: readonly Resource[]): { name: string; pod: Pod; resource: Resource }[] =>
  resources.flatMap((resource) => {
    const pod = resource.spec?.template
    return pod === undefined ? [] : [{ name: resource.metadata.name, pod, resource }]
  })

const selects = (selector: Readonly<Record<string, unknown>>, pod: Pod): boolean =>
  Object.entries(selector).every(([label, value]) => pod.metadata.labels[label] === value)

/** Variables that are no field of a config. */
const OTHERS = ['SERVICE_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY']

for (const [overlay, expected] of [
  ['single', ['StatefulSet svc']],
  ['team', ['Deployment svc-server', 'Deployment svc-worker', 'Job svc-migrate']],
] as const) {
  const each = (name: string, check: (resources: Resource[]) => void): void => {
    if (has('kubectl')) test(`${overlay}: ${name}`, () => check(resourcesOf(overlay)))
    else test.skip(`${overlay}: ${name}: skipped, there is no kubectl`, () => {})
  }

  each('has the workloads that it should', (resources) => {
    const workloads = podsOf(resources).map(({ resource: { kind, metadata } }) => `${kind} ${metadata.name}`)
    assert.equal(workloads.sort(), [...expected].sort())
    for (const { metadata } of resources) assert.is(metadata.namespace, 'svc', metadata.name)
  })

  each('runs each pod without rights, as the restricted standard wants it', (resources) => {
    for (const { name, pod } of podsOf(resources)) {
      const { spec } = pod
      assert.is(spec.automountServiceAccountToken, false, name)
      assert.is(spec.enableServiceLinks, false, name)
      assert.ok((spec.terminationGracePeriodSeconds ?? 0) > 30, name)
      assert.ok(
        resources.some(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === spec.serviceAccountName),
      )
      const { runAsNonRoot, runAsUser, seccompProfile } = Object(spec.securityContext)
      assert.equal([runAsNonRoot, runAsUser, seccompProfile], [true, 1000, { type: 'RuntimeDefault' }], name)
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        const confined = {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        }
        assert.equal(container.securityContext, confined, `${name} ${container.name}`)
        assert.ok(container.resources?.requests !== undefined && container.resources.limits?.memory !== undefined, name)
      }
    }
  })

  each('sets what svc reads, and mounts what it names', (resources) => {
    const settings = resources.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('svc-settings'),
    )
    assert.ok(settings?.data?.SVC_STORE_SPACE)
    for (const { name, pod, resource } of podsOf(resources)) {
      const volumes = [
        ...(pod.spec.volumes ?? []).map((volume) => volume.name),
        ...(resource.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      ]
      for (const { env = [], volumeMounts = [] } of [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]) {
        for (const mount of volumeMounts) assert.ok(volumes.includes(mount.name), `${name}: ${mount.name}`)
        for (const variable of [...env.map((one) => one.name), ...Object.keys(settings.data)]) {
          const setting = variable.replace(/_FILE$/, '')
          assert.ok(configVariables().has(setting) || OTHERS.includes(setting), `${name}: ${variable}`)
        }
        for (const { name: variable, value } of env.filter((one) => one.value.startsWith('/')))
          assert.ok(
            volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
            `${name}: ${variable} is ${value}, where nothing is mounted`,
          )
      }
    }
  })

  each('asks paths that a server answers, on ports that the pod has', (resources) => {
    const open = new Set(ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path))
    let probed = 0
    for (const { name, pod } of podsOf(resources))
      for (const { ports = [], startupProbe, livenessProbe, readinessProbe } of pod.spec.containers)
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          if (probe === undefined) continue
          probed++
          assert.ok(open.has(probe.httpGet.path), `${name}: ${probe.httpGet.path}`)
          assert.ok(
            ports.some((port) => port.name === probe.httpGet.port),
            `${name}: ${probe.httpGet.port}`,
          )
        }
    assert.ok(probed >= 3)
  })

  each('names in selectors and references what is there', (resources) => {
    const pods = podsOf(resources)
    for (const { kind, metadata, spec } of resources) {
      const selector =
        spec?.selector?.matchLabels ??
        spec?.podSelector?.matchLabels ??
        (kind === 'Service' ? spec?.selector : undefined)
      if (selector !== undefined)
        assert.ok(
          pods.some(({ pod }) => selects(selector, pod)),
          `${kind} ${metadata.name}`,
        )
      const scaled = spec?.scaleTargetRef
      if (scaled === undefined) continue
      const target = resources.find((one) => one.kind === scaled.kind && one.metadata.name === scaled.name)
      assert.ok(target !== undefined, metadata.name)
      assert.is(target.spec?.replicas, undefined, 'a number of replicas would undo what the autoscaler chose')
    }
  })
}

test.run()
