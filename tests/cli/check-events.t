# check-events names the formats that cannot be understood; the exit status tells whether there are any
# covers: T20

$ cp $GOLDEN/tour.dat $GOLDEN/all-events.dat . && sonde check-events tour.dat
29 event formats of tour.dat: 29 compile
$ sonde check-events all-events.dat
1357 event formats of all-events.dat: 1345 compile, 12 are shown field by field

Print formats that neither libtraceevent nor sonde understands; report shows these events
field by field, as trace-cmd does:
  intel_iommu:prq_report                function decode_prq_descriptor is not known
  maple_tree:ma_op                      expected ',' after the format string
  maple_tree:ma_read                    expected ',' after the format string
  maple_tree:ma_write                   expected ',' after the format string
  ras:extlog_mem_event                  function cper_severity_str is not known
  ras:mc_event                          function mc_event_error_type is not known
  xen:xen_mmu_ptep_modify_prot_commit   function pte_val is not known
  xen:xen_mmu_ptep_modify_prot_start    function pte_val is not known
  xen:xen_mmu_set_p4d                   function pgd_val is not known
  xen:xen_mmu_set_pmd                   function pmd_val is not known
  xen:xen_mmu_set_pte                   function pte_val is not known
  xen:xen_mmu_set_pud                   function pud_val is not known
[1]
$ sonde check-events -N -i all-events.dat | head -n 1
1357 event formats of all-events.dat: 1343 compile, 14 are shown field by field
$ sonde check-events --verbose tour.dat | tail -n 3
  ok       sched:sched_switch
  ok       sched:sched_wakeup
29 event formats of tour.dat: 29 compile

# A tracing directory, here a made-up one: one format is beyond us, one is no format at all
$ mkdir -p dir/events/demo/tick dir/events/demo/odd dir/events/demo/nothing dir/events/ftrace
$ fields() {
>     printf 'name: %s\nID: %d\nformat:\n' $1 $2
>     printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n'
>     printf '\tfield:int count;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: %s\n' "$3"
> }
$ fields tick 300 '"%d", REC->count' >dir/events/demo/tick/format
> fields odd 301 '"%d", secret(REC->count)' >dir/events/demo/odd/format
> echo nothing >dir/events/demo/nothing/format
> printf '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n' >dir/events/header_page
> printf '\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n' >>dir/events/header_page
> printf '\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n' >>dir/events/header_page
$ sonde check-events -t dir
3 event formats of dir: 1 compiles, 1 is shown field by field, 1 cannot be read

Print formats that neither libtraceevent nor sonde understands; report shows these events
field by field, as trace-cmd does:
  demo:odd                              function secret is not known
[1]
$ rm -r dir/events/demo/odd dir/events/demo/nothing && sonde check-events -t dir -v
  ok       demo:tick
1 event format of dir: 1 compiles

# A format that only a handler can print
$ mkdir dir/events/kvmmmu dir/events/kvmmmu/kvm_mmu_get_page
$ fields kvm_mmu_get_page 302 '"%d", ({ REC->count; })' >dir/events/kvmmmu/kvm_mmu_get_page/format
> sonde check-events -t dir
2 event formats of dir: 1 compiles, 1 is printed by a handler

Print formats that neither libtraceevent nor sonde understands; a handler prints these events:
  kvmmmu:kvm_mmu_get_page               bad operator near '{'
[1]
