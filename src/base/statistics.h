// Quantiles of distributions, for confidence intervals.
#pragma once

namespace pimento {

/// Quantile of the standard normal distribution (Acklam's rational approximation, relative error below 1.2e-9).
double normalQuantile(double p);
/// Quantile of Student's t with `dof` degrees of freedom, by Hill's expansion (CACM 396); exact to 4 digits from 3 on.
double studentQuantile(double p, int dof);

}  // namespace pimento
