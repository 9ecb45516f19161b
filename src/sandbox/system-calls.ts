/** The `AUDIT_ARCH_…` value of each machine (linux/audit.h), and its index in `Numbers`. */
const MACHINES: Readonly<
  Partial<Record<NodeJS.Architecture, { readonly audit: number; readonly at: 0 | 1 }>>
> = {
  x64: { audit: 0xc000003e, at: 0 },
  arm64: { audit: 0xc00000b7, at: 1 },
}

/** Numbers of a call on x86-64 (asm/unistd_64.h), then on ARM64 (the generic ones, asm-generic/unistd.h). */
type Numbers = readonly [x64: number, arm64: number]

/** Calls that manage the kernel, other processes or namespaces. No build, test or search needs them. */
const FORBIDDEN: Readonly<Record<string, Numbers>> = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
}

/**
 * Calls that programs can do without: they fail as on a kernel that lacks them. `clone3` has its flags in
 * memory, which a filter cannot read; glibc then falls back to `clone`. `io_uring` opens sockets that a
 * filter does not see. The other calls allocate memory that belongs to no process and that no limit on
 * processes counts.
 */
const MISSING: Readonly<Record<string, Numbers>> = {
  clone3: [435, 435],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
}

const CLONE: Numbers = [56, 220]
const SOCKETS: readonly Numbers[] = [
  [41, 198], // socket
  [53, 199], // socketpair
]

/** `CLONE_NEW…` of linux/sched.h: NS, CGROUP, UTS, IPC, USER, PID, NET. */
const NEW_NAMESPACES = 0x7e020000

/** AF_UNIX, AF_INET, AF_INET6. Not AF_NETLINK, AF_PACKET and the forty others, each a part of the kernel. */
const ADDRESS_FAMILIES = [1, 2, 10]

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** Numbers from here on belong to x32, a second numbering of the same calls. */
const X32_BIT = 0x40000000

/** Codes of classic BPF (linux/bpf_common.h). */
const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06
/** Results of a filter (linux/seccomp.h). */
const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const refuse = (errno: number): number => 0x00050000 | errno

/** Byte offsets in `struct seccomp_data`. Little-endian on both machines: an argument's low half is first. */
const CALL_NUMBER = 0
const MACHINE = 4
const FIRST_ARGUMENT = 16

/** One instruction: a code, the numbers of instructions to skip if its test is true or false, an operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, figure: number]

/**
 * Returns a seccomp filter (seccomp(2)) for `bwrap --seccomp`. The filter refuses the calls above and allows
 * all others. Undefined for machines that are not in `MACHINES`.
 */
export function systemCallFilter(machine: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const own = MACHINES[machine]
  if (!own) return undefined
  const numbers = (table: Readonly<Record<string, Numbers>>): readonly number[] =>
    Object.values(table).map((each) => each[own.at])
  return encode([
    [LOAD_WORD, 0, 0, MACHINE],
    [JUMP_IF_EQUAL, 1, 0, own.audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD_WORD, 0, 0, CALL_NUMBER],
    ...answer(JUMP_IF_AT_LEAST, X32_BIT, refuse(ENOSYS)),
    ...numbers(FORBIDDEN).flatMap((number) => answer(JUMP_IF_EQUAL, number, refuse(EPERM))),
    ...numbers(MISSING).flatMap((number) => answer(JUMP_IF_EQUAL, number, refuse(ENOSYS))),
    ...byArgument(CLONE[own.at], [
      ...answer(JUMP_IF_ANY_BIT, NEW_NAMESPACES, refuse(EPERM)),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...SOCKETS.flatMap((socket) =>
      byArgument(socket[own.at], [
        ...ADDRESS_FAMILIES.flatMap((family) => answer(JUMP_IF_EQUAL, family, ALLOW)),
        [RETURN, 0, 0, refuse(EAFNOSUPPORT)],
      ]),
    ),
    [RETURN, 0, 0, ALLOW],
  ])
}

/** Ends the filter with `result` if the loaded word passes the test. */
const answer = (test: number, figure: number, result: number): readonly Instruction[] => [
  [test, 0, 1, figure],
  [RETURN, 0, 0, result],
]

/** Decides on one call by its first argument. The instructions of `judge` must end the filter. */
const byArgument = (number: number, judge: readonly Instruction[]): readonly Instruction[] => [
  [JUMP_IF_EQUAL, 0, judge.length + 1, number],
  [LOAD_WORD, 0, 0, FIRST_ARGUMENT],
  ...judge,
]

/** An array of `struct sock_filter` (linux/filter.h). */
function encode(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * 8))
  for (const [index, [code, ifTrue, ifFalse, figure]] of program.entries()) {
    view.setUint16(index * 8, code, true)
    view.setUint8(index * 8 + 2, ifTrue)
    view.setUint8(index * 8 + 3, ifFalse)
    view.setUint32(index * 8 + 4, figure, true)
  }
  return new Uint8Array(view.buffer)
}
