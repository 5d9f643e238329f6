variable "zone" {
  type    = string
  default = "north"
}

variable "yard_key" {
  type      = string
  sensitive = true
}

variable "office" {
  type        = string
  description = "addresses of the office"
  default     = "10.20.8.0/22"
}

variable "staff_from" {
  type        = list(string)
  description = "where the staff works"
  default     = ["0.0.0.0/0", "10.20.8.0/22"]
}
