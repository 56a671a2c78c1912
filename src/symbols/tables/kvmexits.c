// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kvmexits.c - the exit reasons of Intel's VMX and AMD's SVM.
 *
 * The numbers are the processors' own: the basic exit reason of a VMCS (Intel SDM, volume 3,
 * appendix C), the EXITCODE of a VMCB (AMD APM, volume 2, appendix C). The names are those that
 * trace-cmd prints; reasons that it does not know are unknown here, too. SVM numbers its codes in
 * three ranges:
 *
 *	0x000 … 0x08d   instructions, registers, exceptions   array by number
 *	0x400 … 0x402   nested paging, interrupt controller   array from 0x400
 *	-1              the guest's state was invalid
 */
#include "symbols/tables/kvmexits.h"

#include <stddef.h>

#define N_OF(array)    (sizeof(array) / sizeof(*(array)))
#define SVM_PAGING     0x400
#define SVM_EXIT_ERROR (-1)

static const char *const vmx_names[] = {
	[0] = "EXCEPTION_NMI",
	[1] = "EXTERNAL_INTERRUPT",
	[2] = "TRIPLE_FAULT",
	[7] = "PENDING_INTERRUPT",
	[8] = "NMI_WINDOW",
	[9] = "TASK_SWITCH",
	[10] = "CPUID",
	[12] = "HLT",
	[13] = "INVD",
	[14] = "INVLPG",
	[15] = "RDPMC",
	[16] = "RDTSC",
	[18] = "VMCALL",
	[19] = "VMCLEAR",
	[20] = "VMLAUNCH",
	[21] = "VMPTRLD",
	[22] = "VMPTRST",
	[23] = "VMREAD",
	[24] = "VMRESUME",
	[25] = "VMWRITE",
	[26] = "VMOFF",
	[27] = "VMON",
	[28] = "CR_ACCESS",
	[29] = "DR_ACCESS",
	[30] = "IO_INSTRUCTION",
	[31] = "MSR_READ",
	[32] = "MSR_WRITE",
	[36] = "MWAIT_INSTRUCTION",
	[39] = "MONITOR_INSTRUCTION",
	[40] = "PAUSE_INSTRUCTION",
	[41] = "MCE_DURING_VMENTRY",
	[43] = "TPR_BELOW_THRESHOLD",
	[44] = "APIC_ACCESS",
	[45] = "EOI_INDUCED",
	[48] = "EPT_VIOLATION",
	[49] = "EPT_MISCONFIG",
	[50] = "INVEPT",
	[52] = "PREEMPTION_TIMER",
	[54] = "WBINVD",
	[55] = "XSETBV",
	[56] = "APIC_WRITE",
	[58] = "INVPCID",
	[62] = "PML_FULL",
	[63] = "XSAVES",
	[64] = "XRSTORS",
};

static const char *const svm_names[] = {
	[0x00] = "EXIT_READ_CR0",   [0x03] = "EXIT_READ_CR3",	   [0x04] = "EXIT_READ_CR4",
	[0x08] = "EXIT_READ_CR8",   [0x10] = "EXIT_WRITE_CR0",	   [0x13] = "EXIT_WRITE_CR3",
	[0x14] = "EXIT_WRITE_CR4",  [0x18] = "EXIT_WRITE_CR8",	   [0x20] = "EXIT_READ_DR0",
	[0x21] = "EXIT_READ_DR1",   [0x22] = "EXIT_READ_DR2",	   [0x23] = "EXIT_READ_DR3",
	[0x24] = "EXIT_READ_DR4",   [0x25] = "EXIT_READ_DR5",	   [0x26] = "EXIT_READ_DR6",
	[0x27] = "EXIT_READ_DR7",   [0x30] = "EXIT_WRITE_DR0",	   [0x31] = "EXIT_WRITE_DR1",
	[0x32] = "EXIT_WRITE_DR2",  [0x33] = "EXIT_WRITE_DR3",	   [0x34] = "EXIT_WRITE_DR4",
	[0x35] = "EXIT_WRITE_DR5",  [0x36] = "EXIT_WRITE_DR6",	   [0x37] = "EXIT_WRITE_DR7",
	[0x40] = "EXIT_EXCP_DE",    [0x41] = "EXIT_EXCP_DB",	   [0x43] = "EXIT_EXCP_BP",
	[0x44] = "EXIT_EXCP_OF",    [0x45] = "EXIT_EXCP_BR",	   [0x46] = "EXIT_EXCP_UD",
	[0x47] = "EXIT_EXCP_NM",    [0x48] = "EXIT_EXCP_DF",	   [0x4a] = "EXIT_EXCP_TS",
	[0x4b] = "EXIT_EXCP_NP",    [0x4c] = "EXIT_EXCP_SS",	   [0x4d] = "EXIT_EXCP_GP",
	[0x4e] = "EXIT_EXCP_PF",    [0x50] = "EXIT_EXCP_MF",	   [0x51] = "EXIT_EXCP_AC",
	[0x52] = "EXIT_EXCP_MC",    [0x53] = "EXIT_EXCP_XF",	   [0x60] = "EXIT_INTR",
	[0x61] = "EXIT_NMI",	    [0x62] = "EXIT_SMI",	   [0x63] = "EXIT_INIT",
	[0x64] = "EXIT_VINTR",	    [0x65] = "EXIT_CR0_SEL_WRITE", [0x66] = "EXIT_IDTR_READ",
	[0x67] = "EXIT_GDTR_READ",  [0x68] = "EXIT_LDTR_READ",	   [0x69] = "EXIT_TR_READ",
	[0x6a] = "EXIT_IDTR_WRITE", [0x6b] = "EXIT_GDTR_WRITE",	   [0x6c] = "EXIT_LDTR_WRITE",
	[0x6d] = "EXIT_TR_WRITE",   [0x6e] = "EXIT_RDTSC",	   [0x6f] = "EXIT_RDPMC",
	[0x70] = "EXIT_PUSHF",	    [0x71] = "EXIT_POPF",	   [0x72] = "EXIT_CPUID",
	[0x73] = "EXIT_RSM",	    [0x74] = "EXIT_IRET",	   [0x75] = "EXIT_SWINT",
	[0x76] = "EXIT_INVD",	    [0x77] = "EXIT_PAUSE",	   [0x78] = "EXIT_HLT",
	[0x79] = "EXIT_INVLPG",	    [0x7a] = "EXIT_INVLPGA",	   [0x7b] = "EXIT_IOIO",
	[0x7c] = "EXIT_MSR",	    [0x7d] = "EXIT_TASK_SWITCH",   [0x7e] = "EXIT_FERR_FREEZE",
	[0x7f] = "EXIT_SHUTDOWN",   [0x80] = "EXIT_VMRUN",	   [0x81] = "EXIT_VMMCALL",
	[0x82] = "EXIT_VMLOAD",	    [0x83] = "EXIT_VMSAVE",	   [0x84] = "EXIT_STGI",
	[0x85] = "EXIT_CLGI",	    [0x86] = "EXIT_SKINIT",	   [0x87] = "EXIT_RDTSCP",
	[0x88] = "EXIT_ICEBP",	    [0x89] = "EXIT_WBINVD",	   [0x8a] = "EXIT_MONITOR",
	[0x8b] = "EXIT_MWAIT",	    [0x8c] = "EXIT_MWAIT_COND",	   [0x8d] = "EXIT_XSETBV",
};

static const char *const svm_paging_names[] = {
	"EXIT_NPF",
	"EXIT_AVIC_INCOMPLETE_IPI",
	"EXIT_AVIC_UNACCELERATED_ACCESS",
};

static const char *name_at(const char *const *names, size_t n, uint32_t index)
{
	return index < n ? names[index] : NULL;
}

const char *kvm_exit_name(uint32_t isa, int32_t reason)
{
	switch (isa) {
	case KVM_ISA_VMX:
		return name_at(vmx_names, N_OF(vmx_names), reason);
	case KVM_ISA_SVM:
		if (reason == SVM_EXIT_ERROR)
			return "EXIT_ERR";
		if (reason >= SVM_PAGING)
			return name_at(svm_paging_names, N_OF(svm_paging_names),
				       reason - SVM_PAGING);
		return name_at(svm_names, N_OF(svm_names), reason);
	default:
		return "UNKNOWN-ISA";
	}
}
